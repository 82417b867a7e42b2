import { DecodeError, type Instant, parseTime } from "../../schema/index.ts";
import { goQuote } from "../../status/index.ts";

const LAYOUT = "2006-01-02T15:04:05.000000Z07:00";
const FRACTION = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{6})?(.*)$/s;

/** Reads a time to the microsecond, of which all six digits have to be there. */
export function parseMicroTime(text: string): Instant {
  const [, , fraction, rest = ""] = FRACTION.exec(text) ?? [text, "", ""];
  const misfit = (part: string, as: string) =>
    new DecodeError(`parsing time ${goQuote(text)} as "${LAYOUT}": cannot parse ${goQuote(part)} as "${as}"`);
  if (fraction === undefined) throw misfit(rest, ".000000");
  if (/^\d/.test(rest)) throw misfit(rest, "Z07:00");
  try {
    return parseTime(text);
  } catch (error) {
    if (error instanceof DecodeError) throw new DecodeError(error.message.replace("2006-01-02T15:04:05Z07:00", LAYOUT));
    throw error;
  }
}
