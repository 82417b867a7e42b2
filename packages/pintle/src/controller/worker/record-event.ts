import type { Controller } from "../declare/controller.ts";
import type { RecordEvent } from "../declare/options.ts";
import type { ControllerDeps } from "../deps.ts";
import type { LiveJsonObject } from "../plan/decide.ts";

/** Creates the `event` function of a context: records Events about one object in the controller's name. */
export function createRecordEvent({ name, kind }: Controller, { recorder }: ControllerDeps, object: LiveJsonObject): RecordEvent {
  return (reason, message, { type = "Normal", annotations } = {}) =>
    recorder.recordEvent({ controller: name, kind, object, type, reason, message, annotations });
}
