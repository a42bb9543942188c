"""The operations by what they are for: `reading`, `writing`, `upkeep` (merges, undo, sleep, export), `contract`,
`explore` (what people look at), `chat` (for OpenAI's clients), and `service` (health, metrics). Each is one call of
`interfaces.reading`, `interfaces.writing` or `interfaces.exploring`, in a thread of the pool.
"""

from oroi_graph.interfaces.http.routes import chat, contract, explore, reading, service, upkeep, writing

ROUTERS = (reading.router, writing.router, upkeep.router, contract.router, explore.router, chat.router)
OPEN = (service.router,)

__all__ = ["OPEN", "ROUTERS"]
