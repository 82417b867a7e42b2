import { setImmediate } from "node:timers/promises";
import type { Call } from "../call.ts";
import { metadataOf } from "../metadata/metadata.ts";
import { deleteOptions } from "../options/delete-options.ts";
import { listOptions } from "../options/list-options.ts";
import type { Answered } from "./answered.ts";
import { isGone, removeObject } from "./delete.ts";
import { deleteBody } from "./delete-body.ts";
import { page } from "./list.ts";
import { listed } from "./listed.ts";

/** So long at most do others wait for us: twenty thousand deletes in one go would hold them up for a third of a second. */
const STRETCH_MS = 2;

/** One delete per object that the selectors choose; answers with what they were. */
export async function removeCollection(call: Call): Promise<Answered> {
  const { request, info } = call;
  const selected = listOptions(request.query, false);
  const options = deleteOptions(request.query, await deleteBody(request));
  const chosen = await page(call, selected);
  let pause = performance.now() + STRETCH_MS;
  for (const { object } of chosen.items) {
    if (performance.now() > pause) {
      await setImmediate();
      pause = performance.now() + STRETCH_MS;
    }
    const { namespace = "", name = "" } = metadataOf(object);
    try {
      await removeObject({ ...call, info: { ...info, namespace, name } }, options);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return listed(call.view, chosen);
}
