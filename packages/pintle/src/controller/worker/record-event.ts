import type { RecordedRun } from "../../recorder/index.ts";
import type { Controller } from "../declare/controller.ts";
import type { RecordEvent } from "../declare/options.ts";
import type { ControllerDeps } from "../deps.ts";
import type { LiveJsonObject } from "../plan/decide.ts";

/** Creates the `event` function of a context: records Events about one object in the controller's name. */
export function createRecordEvent(
  { name, kind }: Controller,
  { recorder }: ControllerDeps,
  object: LiveJsonObject,
  run?: RecordedRun,
): RecordEvent {
  return (reason, message, { type = "Normal", annotations } = {}) =>
    recorder.recordEvent({ controller: name, kind, object, type, reason, message, annotations, auditId: run?.nextAuditId() });
}
