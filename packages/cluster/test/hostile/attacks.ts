import type { Attack } from "./attack.ts";
import { bodies } from "./bodies.ts";
import { definitions } from "./definitions.ts";
import { lines } from "./lines.ts";
import { patches } from "./patches.ts";

/** Every attack there is, in the order they are tried. */
export const attacks: readonly Attack[] = [...bodies, ...patches, ...lines, ...definitions];
