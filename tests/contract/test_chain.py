"""Tamper evidence: a chain verifies, each mutation of it is found, and erasure is no mutation."""

from __future__ import annotations

import hashlib
import io
import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from contracts import Shared, shared_memory
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tables import table

from oroi_graph import Graph
from oroi_graph.contract.chain.checkpoints import checkpoint_of, read_checkpoint
from oroi_graph.contract.chain.hashing import COVERED, GENESIS, decimal, merkle_root
from oroi_graph.contract.chain.signing import make_key_file, public_key, read_key_file, sign
from oroi_graph.contract.chain.verify import verify
from oroi_graph.contract.reading.clauses import read
from oroi_graph.contract.registry import claim
from oroi_graph.errors import InputError
from oroi_graph.transfer.archive import export_memory, import_memory

Tamper = Callable[[Shared], object]


@pytest.fixture(scope="module")
def archived(own: Graph) -> Iterator[tuple[Shared, str]]:
    """A memory as a file: two entries that contradict each other, a settlement, some more, two signed; a checkpoint."""
    with shared_memory(own) as shared:
        shared.token["kimi"] = shared.contract.add_author("kimi")
        shared.write("claude", "project_status", "Phase 2 runs.")
        second = shared.write("gemini", "project_status", "Phase 3 runs.").entry
        settled = {"ia_author": "kimi", "field_value": "Phase 4 runs.", "confidence_score": 1}
        shared.contract.settle([second.id], settled, token=shared.token["kimi"])
        shared.write("claude", "risk", "Fire in the server room.")
        shared.write("kimi", "risk", "A flood may come.")
        shared.contract.checkpoint(shared.key)
        file = io.StringIO()
        export_memory(own.store, shared.name, file)
        yield shared, file.getvalue()


@pytest.fixture
def written(archived: tuple[Shared, str]) -> Iterator[Shared]:
    """A copy of that memory, to be tampered with."""
    source, text = archived
    graph, name = source.graph, f"copy-{uuid.uuid4().hex[:10]}"
    import_memory(graph.store, io.StringIO(text), name)
    yield replace(source, name=name, contract=graph.contract(name))
    assert graph.delete(name) == 0


def run(shared: Shared, statement: str, **parameters: object) -> None:
    shared.graph.store.schema(statement, m=shared.name, **parameters)


def faults(shared: Shared) -> set[str]:
    return {fault.fault for fault in shared.contract.verify().faults}


def rechained(shared: Shared, kept: Callable[[dict[str, object]], bool] = lambda row: True) -> None:
    """Make the chain anew, as somebody with access to the database could, and set the memory's head."""
    from oroi_graph.contract.chain.checkpoints import chain
    from oroi_graph.contract.chain.hashing import entry_hash

    store = shared.graph.store
    [[name]] = store.explore("MATCH (m:Memory {name: $m}) RETURN m.chain", m=shared.name)[1]
    previous, place = GENESIS, 0
    for row in store.read(lambda tx: list(chain(tx, shared.name))):
        if not kept(row):
            continue
        place += 1
        made = entry_hash({**row, "chain": name, "seq": place, "previous": previous})
        run(shared, "MATCH (e:Entry {memory: $m, id: $id}) SET e.seq = $seq, e.previous = $before, e.hash = $hash",
            id=row["id"], seq=place, before=previous, hash=made)  # fmt: skip
        previous = made
    run(shared, "MATCH (m:Memory {name: $m}) SET m.entries = $n, m.entry_hash = $hash", n=place, hash=previous)


def forged_contract(shared: Shared, by: Ed25519PrivateKey, public: str) -> None:
    """Change the contract with its hash, signed by another key, said to be of the owner of a public key."""
    store = shared.graph.store
    [[text, name, previous]] = store.explore(
        "MATCH (c:Contract {memory: $m, number: 1}), (m:Memory {name: $m}) RETURN c.document, m.chain, c.previous",
        m=shared.name,
    )[1]
    changed = text.replace("0.88", "0.5")
    assert changed != text
    hash_ = hashlib.sha256(changed.encode()).hexdigest()
    signature = sign(by, claim(name, 1, hash_, previous))
    run(shared, "MATCH (c:Contract {memory: $m, number: 1}) SET c.document = $document, c.schema_hash = $hash, "
                "c.signature = $signature, c.public_key = $public",
        document=changed, hash=hash_, signature=signature, public=public)  # fmt: skip


def test_an_untouched_chain_verifies(written: Shared) -> None:
    found = written.contract.verify()
    assert found.valid, found
    assert found.faults == ()
    assert (found.entries, found.signed, found.checkpoints) == (7, 2, 1)


FORGER = Ed25519PrivateKey.generate()
TAMPERS: dict[str, tuple[Tamper, set[str]]] = {
    "value edited": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m, seq: 1}) SET e.text = 'Phase 9 runs.'"), {"edited"}
    ),
    "value and its hash edited": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m, seq: 1}) SET e.confidence = 0.1"), {"edited"}
    ),
    "date edited": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m, seq: 5}) SET e.created_at = datetime('2020-01-01T00:00:00Z')"),
        {"edited"},
    ),
    "value blanked without a tombstone": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m, seq: 1}) REMOVE e.text, e.salt"), {"edited"}
    ),
    "deleted": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m, seq: 5}) DETACH DELETE e"), {"deleted"}
    ),
    "reordered": (
        lambda s: (
            run(s, "MATCH (e:Entry {memory: $m, seq: 1}) SET e.seq = 1001"),
            run(s, "MATCH (e:Entry {memory: $m, seq: 5}) SET e.seq = 1"),
            run(s, "MATCH (e:Entry {memory: $m, seq: 1001}) SET e.seq = 5"),
        ),
        {"reordered"},
    ),
    "inserted at the end": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m, seq: 1}) CREATE (n:Entry) SET n = e {.*, id: 'x', seq: 8}"),
        {"inserted"},
    ),
    "inserted without a place": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m, seq: 1}) CREATE (n:Entry) SET n = e {.*, id: 'x', seq: null}"),
        {"inserted"},
    ),
    "tail cut off": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m}) WHERE e.seq > 5 DETACH DELETE e"), {"truncated"}
    ),
    "tail cut off, head adjusted": (
        lambda s: (
            run(s, "MATCH (e:Entry {memory: $m}) WHERE e.seq > 5 DETACH DELETE e"),
            run(s, "MATCH (e:Entry {memory: $m, seq: 5}), (m:Memory {name: $m}) "
                   "SET m.entries = 5, m.entry_hash = e.hash"),
        ),
        {"truncated"},
    ),
    "all entries gone, head adjusted": (
        lambda s: (
            run(s, "MATCH (e:Entry {memory: $m}) DETACH DELETE e"),
            run(s, "MATCH (m:Memory {name: $m}) SET m.entries = 0, m.entry_hash = null"),
        ),
        {"truncated"},
    ),
    "author forged": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m, seq: 1}) SET e.ia_author = 'kimi', e.speaker = 'kimi'"),
        {"edited"},
    ),
    "speaker forged": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m, seq: 1}) SET e.speaker = 'kimi'"), {"forged author"}
    ),
    "author forged in a chain made anew": (
        lambda s: (run(s, "MATCH (e:Entry {memory: $m, seq: 4}) SET e.ia_author = 'claude', e.speaker = 'claude'"),
                   rechained(s)),
        {"forged author", "edited"},
    ),
    "signed value edited in a chain made anew": (
        lambda s: (run(s, "MATCH (e:Entry {memory: $m, seq: 4}) SET e.confidence = 0.2"), rechained(s)),
        {"forged author", "edited"},
    ),
    "unsigned value edited in a chain made anew": (
        lambda s: (run(s, "MATCH (e:Entry {memory: $m, seq: 5}) SET e.confidence = 0.2"), rechained(s)),
        {"forged author", "edited"},
    ),
    "author's key replaced": (
        lambda s: run(s, "MATCH (a:Author {memory: $m}) SET a.public_key = $key", key="0" * 64), {"forged author"}
    ),
    "author enrolled before the checkpoint": (
        lambda s: run(s, "MATCH (a:Author {memory: $m}) CREATE (n:Author) SET n = a {.*, number: 2}"), {"forged author"}
    ),
    "supersession forged": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m, seq: 6}), (o:Entry {memory: $m, seq: 5}) "
                         "CREATE (e)-[:SUPERSEDES]->(o)"),
        {"edited"},
    ),
    "what remarks are about removed": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m})-[c:COVERS]->() DELETE c"), {"edited"}
    ),
    "dispute removed": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m})-[c:CONTRADICTS]->() DELETE c"),
        {"edited: what it contradicts"},
    ),
    "dispute forged": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m, seq: 6}), (o:Entry {memory: $m, seq: 5}) "
                         "CREATE (e)-[:CONTRADICTS]->(o)"),
        {"edited"},
    ),
    "dispute moved to another entry": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m})-[c:CONTRADICTS]->(), (o:Entry {memory: $m, seq: 5}) "
                         "DELETE c CREATE (e)-[:CONTRADICTS]->(o)"),
        {"edited"},
    ),
    "dispute turned round": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m})-[c:CONTRADICTS]->(o) DELETE c CREATE (o)-[:CONTRADICTS]->(e)"),
        {"edited"},
    ),
    "contract edited": (
        lambda s: run(s, "MATCH (c:Contract {memory: $m}) SET c.document = replace(c.document, '0.88', '0.5')"),
        {"forged contract"},
    ),
    "made for a contract that never was, in a chain made anew": (
        lambda s: (run(s, "MATCH (e:Entry {memory: $m, seq: 7}) SET e.schema_hash = $hash", hash="0" * 64),
                   rechained(s)),
        {"edited: its schema_hash is that of no contract of the memory"},
    ),
    "parent deleted in a chain made anew": (
        lambda s: (run(s, "MATCH (e:Entry {memory: $m, seq: 1}) DETACH DELETE e"), rechained(s)),
        {"deleted: it names"},
    ),
    "value put back after its erasure": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m, seq: 1}) SET e.erased_at = datetime()"),
        {"edited: it was erased, and yet has a value"},
    ),
    "contract edited, its hash too, and signed by another": (
        lambda s: forged_contract(s, Ed25519PrivateKey.generate(), public_key(s.key)), {"forged contract"}
    ),
    "contract made anew by another": (
        lambda s: forged_contract(s, FORGER, public_key(FORGER)), {"forged contract"}
    ),
    "contract made unreadable": (
        lambda s: run(s, "MATCH (c:Contract {memory: $m}) SET c.document = '{'"), {"forged contract"}
    ),
    "contract blanked": (
        lambda s: run(s, "MATCH (c:Contract {memory: $m}) REMOVE c.document"), {"forged contract"}
    ),
    "hash made nonsense": (
        lambda s: run(s, "MATCH (e:Entry {memory: $m, seq: 5}) SET e.hash = 'nonsense'"), {"edited"}
    ),
    "checkpoint made nonsense": (
        lambda s: run(s, "MATCH (c:Checkpoint {memory: $m}) SET c.at = 5"), {"forged checkpoint"}
    ),
    "enrolment without its time": (
        lambda s: run(s, "MATCH (a:Author {memory: $m}) REMOVE a.added_at CREATE (n:Author) SET n = a {.*, number: 2}"),
        {"forged author"},
    ),
    "head edited": (
        lambda s: run(s, "MATCH (m:Memory {name: $m}) SET m.entry_hash = $hash", hash="0" * 64), {"edited"}
    ),
    "checkpoint edited": (
        lambda s: run(s, "MATCH (c:Checkpoint {memory: $m}) SET c.seq = 1"), {"forged checkpoint"}
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "name", ["at", "ia_author", "claim", "text", "salt", "value_hash", "confidence", "parents", "covers", "generated",
             "previous", "hash", "created_at", "schema_hash"]
)  # fmt: skip
def test_what_is_removed_of_an_entry_is_found(written: Shared, name: str) -> None:
    run(written, f"MATCH (e:Entry {{memory: $m, seq: 3}}) REMOVE e.{name}")
    assert "edited" in faults(written)


@pytest.mark.parametrize("name", TAMPERS)
def test_every_mutation_is_found(written: Shared, name: str) -> None:
    """expected: faults, each with the beginning of its message where another check would find the same fault."""
    tamper, expected = TAMPERS[name]
    tamper(written)
    found = [f"{fault.fault}: {fault.message}" for fault in written.contract.verify().faults]
    assert all(any(one.startswith(said) for one in found) for said in expected), found


def test_what_was_kept_elsewhere_finds_what_was_made_anew(written: Shared) -> None:
    """Whoever controls the database and makes everything anew, authority included, is found by who kept the key."""
    kept = written.contract.checkpoint(written.key)
    public = public_key(written.key)
    forger = Ed25519PrivateKey.generate()
    run(written, "MATCH (e:Entry {memory: $m}) WHERE e.seq > 4 DETACH DELETE e")
    run(written, "MATCH (c:Checkpoint {memory: $m}) DELETE c")
    run(written, "MATCH (e:Entry {memory: $m, seq: 4}), (m:Memory {name: $m}) SET m.entries = 4, m.entry_hash = e.hash")
    assert faults(written) == set(), "without what was kept, a cut tail leaves no trace"
    assert {f.fault for f in written.contract.verify(kept=[kept]).faults} == {"truncated"}
    run(written, "MATCH (m:Memory {name: $m}) SET m.authority = $key", key=public_key(forger))
    assert "forged contract" in {f.fault for f in written.contract.verify(authority=public).faults}
    forged = replace(kept, signature=sign(forger, kept.signed), public_key=public_key(forger))
    assert "forged checkpoint" in {f.fault for f in written.contract.verify(authority=public, kept=[forged]).faults}


def test_erasure_verifies_still_and_takes_all_that_tells(written: Shared) -> None:
    store = written.graph.store
    doomed = written.write("gemini", "risk", "A leak of Leire's address in Gernika.", idempotency_key="k").entry
    near = written.write("claude", "risk", "A leak of Leire's number in Gernika.")
    assert near.generated
    written.contract.compress()
    assert read.cache_info().currsize, "what was compared is kept in process"
    done = written.contract.erase([doomed.id], by="Leire")
    assert doomed.id in done.erased
    assert (done.remains, read.cache_info().currsize) == ((), 0)
    found = written.contract.verify()
    assert found.valid, found
    assert found.erased == len(done.erased)
    texts = store.explore(
        "MATCH (n) WHERE n.memory = $m UNWIND keys(n) AS key WITH n[key] AS value "
        "WHERE value IS :: STRING RETURN value",
        m=written.name,
    )[1]
    assert not [value for (value,) in texts if "address" in value]
    [old] = [i.entry for i in written.contract.read(history=True).items if i.entry and i.entry.id == doomed.id]
    assert (old.field_value, old.current, bool(old.erased_at)) == (None, False, True)
    again = written.write("gemini", "risk", "A leak of Leire's address in Gernika.")
    assert again.outcome != "equivalent", "the process knows of the erasure"
    assert written.contract.erase([doomed.id], by="Leire").erased == ()
    for nobody in ("", " ", "Leire\n", "\ud800"):
        with pytest.raises(InputError, match="who asked"):
            written.contract.erase([near.entry.id], by=nobody)
    with pytest.raises(InputError, match="no entry"):
        written.contract.erase(["0b7e5a52-3c1f-4f6e-9d6a-2f1f6a4f8f11"], by="Leire")


def test_a_blanked_entry_that_poses_as_erased_is_seen(written: Shared) -> None:
    """A tombstone is counted; whoever knows how many entries were erased sees another one."""
    run(written, "MATCH (e:Entry {memory: $m, seq: 1}) REMOVE e.text, e.salt SET e.erased_at = datetime()")
    assert written.contract.verify().erased == 1


def test_the_chain_survives_export_and_import(written: Shared) -> None:
    written.contract.erase([written.write("gemini", "risk", "Gossip about Leire.").entry.id], by="Leire")
    store, name = written.graph.store, f"{written.name}-copy"
    file = io.StringIO()
    export_memory(store, written.name, file)
    file.seek(0)
    import_memory(store, file, name)
    try:
        copy = written.graph.contract(name)
        ours, theirs = written.contract.verify(), copy.verify()
        assert theirs == ours
        assert [one.to_json() for one in copy.conflicts()] == [one.to_json() for one in written.contract.conflicts()]
        assert copy.read(history=True) == written.contract.read(history=True)
        again = io.StringIO()
        export_memory(store, name, again)
        assert again.getvalue().replace(name, written.name) == file.getvalue()
        token = written.token["kimi"]
        entry = written.entry("kimi", "risk", "An imported memory goes on.")
        assert copy.write(entry, token=token).entry.seq == ours.entries + 1
        assert copy.verify().valid
    finally:
        assert written.graph.delete(name) == 0


def test_another_verifier_can_be_written_from_the_documents(written: Shared) -> None:
    """By what docs/contract.md says, with the standard library alone, from an export."""
    file = io.StringIO()
    export_memory(written.graph.store, written.name, file)
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    chain_id = lines[0]["memory"]["chain"]
    previous, hashes = "0" * 64, []
    for entry in (line["entry"] for line in lines if "entry" in line):
        value = hashlib.sha256(f"{entry['salt']}\n{entry['text']}".encode()).hexdigest()
        assert value == entry["value_hash"]
        covered = {
            "chain": chain_id, "seq": entry["seq"], "previous": previous, "id": entry["id"], "created_at": entry["at"],
            "ia_author": entry["ia_author"], "entry_type": entry["entry_type"], "kind": entry["claim"],
            "field_key": entry["field_key"], "value_hash": value,
            "confidence_score": f"{entry['confidence']:.6f}".rstrip("0").rstrip("."),
            "schema_hash": entry["schema_hash"], "parents": entry["parents"], "covers": entry["covers"],
            "generated": entry["generated"],
        }  # fmt: skip
        assert tuple(covered) == COVERED
        text = json.dumps(covered, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        previous = hashlib.sha256(text.encode()).hexdigest()
        assert previous == entry["hash"]
        hashes.append(bytes.fromhex(previous))
    [checkpoint] = [line["checkpoint"] for line in lines if "checkpoint" in line]
    assert _root(hashes).hex() == checkpoint["root"]
    [contract] = [line["contract"] for line in lines if "contract" in line]
    assert hashlib.sha256(contract["document"].encode()).hexdigest() == contract["schema_hash"]


def _root(leaves: list[bytes]) -> bytes:
    """RFC 6962, as it is written there: split at the largest power of two below n."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return hashlib.sha256(b"\1" + _root(leaves[:half]) + _root(leaves[half:])).digest()


@table("count", range(20))
def test_the_merkle_root_is_that_of_the_rfc(count: int) -> None:
    leaves = [hashlib.sha256(bytes([i])).digest() for i in range(count)]
    assert merkle_root(leaf.hex() for leaf in leaves) == _root(leaves).hex()


@table(
    "number, text",
    [(1.0, "1"), (0.9, "0.9"), (0, "0"), (1e-07, "0.0000001"), (0.30000000000000004, "0.30000000000000004")],
)
def test_numbers_are_plain_decimals(number: float, text: str) -> None:
    assert decimal(number) == text


def test_keys_are_private_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "authority.pem"
    public = make_key_file(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert public_key(read_key_file(path)) == public
    with pytest.raises(InputError, match="never overwritten"):
        make_key_file(path)
    (tmp_path / "other").write_text("nonsense")
    for name, says in (("other", "holds no private key"), ("absent", "cannot read")):
        with pytest.raises(InputError, match=says):
            read_key_file(tmp_path / name)


def test_only_the_authority_signs_checkpoints(written: Shared, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not the key of the authority"):
        written.contract.checkpoint(Ed25519PrivateKey.generate())
    path = tmp_path / "kept.json"
    made = written.contract.checkpoint(written.key)
    path.write_text(json.dumps(made.to_json()))
    assert read_checkpoint(path) == made
    assert verify(written.graph.store, written.name, checkpoints=[made]).valid
    for wrong in ({"seq": 1}, made.to_json() | {"at": 5}, made.to_json() | {"root": None}):
        with pytest.raises(InputError, match="is no checkpoint"):
            checkpoint_of(wrong, "it")
