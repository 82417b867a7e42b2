import type { Shape } from "./shape.ts";
import { lists } from "./shapes/lists.ts";
import { numbers } from "./shapes/numbers.ts";
import { objects } from "./shapes/objects.ts";
import { rules } from "./shapes/rules.ts";
import { strings } from "./shapes/strings.ts";
import { unions } from "./shapes/unions.ts";

/** Every keyword of a structural schema, each as a user would write it with Zod. */
export const shapes: readonly Shape[] = [...strings, ...numbers, ...lists, ...objects, ...unions, ...rules];
