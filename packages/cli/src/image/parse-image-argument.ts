import { type ImageReference, parseImageReference as parse } from "@pintle/lifecycle/internal/image";
import { CommandError } from "../command/index.ts";

/** Parses an image reference that a user typed: a wrong one is wrong usage. */
export function parseImageReference(text: string): ImageReference {
  try {
    return parse(text);
  } catch (error) {
    throw new CommandError("PINTLE7070", (error as Error).message, 2);
  }
}
