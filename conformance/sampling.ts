/** How much a long suite does: everything under `--full`, otherwise a sample that the seed chooses. */
export const full = process.env["PINTLE_CONFORMANCE"] === "full";
export const seed = Number(process.env["PINTLE_SEED"] ?? 1);
