import type { Controller } from "./controller.ts";
import type { Live } from "./decide.ts";
import type { Announce } from "./options.ts";
import type { Plant } from "./plant.ts";

/** Makes Events about one object, in the controller's name. */
export function announcing({ name, kind }: Controller, { recorder }: Plant, object: Live): Announce {
  return (reason, message, { type = "Normal", annotations } = {}) =>
    recorder.announce({ controller: name, kind, object, type, reason, message, annotations });
}
