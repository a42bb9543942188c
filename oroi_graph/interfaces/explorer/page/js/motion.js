// Whether things may move.

const asked = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether the reader wants no motion. */
export const still = () => asked.matches;
