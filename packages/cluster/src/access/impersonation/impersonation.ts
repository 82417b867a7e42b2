import { type Authorizer, authorize, type Impersonation, type RequestInfo, type UserInfo } from "../../api/index.ts";
import { ApiError } from "../../status/index.ts";
import { asUser, impersonates } from "./impersonates.ts";
import { MODES } from "./modes.ts";
import { type WantedUser, wantedUser } from "./wanted.ts";

/** So many users are remembered with the mode that last worked for them. */
const REMEMBERED = 10_000;

/**
 * Carries requests out as whom their Impersonate-* headers name, if the sender may. There are several ways to be
 * allowed; the one that last worked for a sender is tried first, and the first refusal is the one that is told.
 */
export function impersonation(authorizer: Authorizer): Impersonation {
  const lastWorked = new Map<string, number>();

  return async ({ headers, user }, info) => {
    const wanted = wantedUser(headers);
    if (wanted === undefined) return user;
    const last = lastWorked.get(user.name);
    const order = [...MODES.keys()].sort((a, b) => Number(b === last) - Number(a === last));
    let refusal: ApiError | undefined;
    for (const index of order) {
      const outcome = await attempt(authorizer, index, user, wanted, info);
      if (outcome === undefined) continue;
      if (outcome instanceof ApiError) {
        refusal ??= outcome;
        continue;
      }
      if (lastWorked.size >= REMEMBERED) lastWorked.clear();
      lastWorked.set(user.name, index);
      return outcome;
    }
    throw refusal as ApiError;
  };
}

/** Undefined: this mode is not for such a user. */
async function attempt(
  authorizer: Authorizer,
  index: number,
  user: UserInfo,
  wanted: WantedUser,
  info: RequestInfo,
): Promise<UserInfo | ApiError | undefined> {
  const mode = MODES[index] as (typeof MODES)[number];
  if (!mode.applies(wanted, user)) return undefined;
  try {
    if (mode.constrained) await authorize(authorizer, { user, info: { ...info, verb: `impersonate-on:${mode.name}:${info.verb}` } });
    await impersonates(authorizer, mode, user, wanted);
    return asUser(wanted, mode);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
