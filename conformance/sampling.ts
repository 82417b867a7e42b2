/** The extent of a long suite: everything under `--full`, otherwise a sample selected by the seed. */
export const full = process.env["PINTLE_CONFORMANCE"] === "full";
export const seed = Number(process.env["PINTLE_SEED"] ?? 1);
