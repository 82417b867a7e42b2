import type { Call } from "../call.ts";
import { metadataOf } from "../metadata/metadata.ts";
import { deleteOptions } from "../options/delete-options.ts";
import { listOptions } from "../options/list-options.ts";
import { presentList } from "../present/present.ts";
import type { Answered } from "./answered.ts";
import { isGone, removeObject } from "./delete.ts";
import { deleteBody } from "./delete-body.ts";
import { page } from "./list.ts";

/** One delete per object that the selectors choose; answers with what they were. */
export async function removeCollection(call: Call): Promise<Answered> {
  const { request, info } = call;
  const selected = listOptions(request.query, false);
  const options = deleteOptions(request.query, await deleteBody(request));
  const { objects, metadata } = await page(call, selected);
  for (const object of objects) {
    const { namespace = "", name = "" } = metadataOf(object);
    try {
      await removeObject({ ...call, info: { ...info, namespace, name } }, options);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return { status: 200, value: presentList(call.view, objects, metadata) };
}
