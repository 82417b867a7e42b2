import { createStringCache } from "pintle/internal/memoize";
import {
  ANONYMOUS,
  AUTHENTICATED,
  type Authorizer,
  buildForbiddenError,
  checkAuthorized,
  type Impersonation,
  type Impersonator,
  type RequestInfo,
  type UserInfo,
} from "../../api/index.ts";
import { ApiError } from "../../status/index.ts";
import { makeServiceAccountGroups, parseServiceAccountUsername } from "../service-account.ts";
import { type ImpersonatedUser, parseImpersonationHeaders } from "./impersonated-user.ts";
import { IMPERSONATION_MODES, type ImpersonationMode, parseNodeUsername } from "./modes.ts";
import { listRequiredAccess } from "./required-access.ts";

/** Limit of the cache of the last successful mode by user. */
const MAX_CACHED_BYTES = 2 * 1024 * 1024;

/**
 * Executes requests as the user named by their Impersonate-* headers, if the requester may impersonate that user. The mode that last
 * succeeded for the requester is tried first; the first refusal is the one that is returned.
 */
export function createImpersonation(authorizer: Authorizer): Impersonator {
  const lastModeByUser = createStringCache<number>(MAX_CACHED_BYTES);

  return async ({ headers, user }, info) => {
    const impersonated = parseImpersonationHeaders(headers);
    if (impersonated === undefined) return { user };
    const last = lastModeByUser.get(user.name);
    const order = [...IMPERSONATION_MODES.keys()].sort((a, b) => Number(b === last) - Number(a === last));
    let refusal: ApiError | undefined;
    for (const index of order) {
      const outcome = tryMode(authorizer, index, user, impersonated, info);
      if (outcome === undefined) continue;
      if (outcome instanceof ApiError) {
        refusal ??= outcome;
        continue;
      }
      lastModeByUser.set(user.name, index);
      return outcome;
    }
    throw refusal as ApiError;
  };
}

/** Returns undefined if the mode does not apply to the impersonated user. */
function tryMode(
  authorizer: Authorizer,
  index: number,
  user: UserInfo,
  impersonated: ImpersonatedUser,
  info: RequestInfo,
): Impersonation | ApiError | undefined {
  const mode = IMPERSONATION_MODES[index] as (typeof IMPERSONATION_MODES)[number];
  if (!mode.appliesTo(impersonated, user)) return undefined;
  try {
    if (mode.isConstrained) checkAuthorized(authorizer, { user, info: { ...info, verb: `impersonate-on:${mode.name}:${info.verb}` } });
    checkImpersonation(authorizer, mode, user, impersonated);
    const found = buildImpersonatedUserInfo(impersonated, mode);
    return mode.isConstrained ? { user: found, constraint: `impersonate:${mode.name}` } : { user: found };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const UNAUTHENTICATED = "system:unauthenticated";

/** Throws 403 unless the requester may impersonate every attribute of the user. */
function checkImpersonation(authorizer: Authorizer, mode: ImpersonationMode, user: UserInfo, impersonated: ImpersonatedUser): void {
  for (const required of listRequiredAccess(mode, impersonated)) {
    if (required.type === "never") throw buildForbiddenError({ user, info: required.access }, required.reason);
    if (required.wildcard !== undefined && authorizer.authorize({ user, info: required.wildcard }).allowed) continue;
    for (const info of required.accesses) checkAuthorized(authorizer, { user, info });
  }
}

/** Returns the impersonated user with the groups that the server adds. */
function buildImpersonatedUserInfo(impersonated: ImpersonatedUser, { isConstrained }: ImpersonationMode): UserInfo {
  const { name, uid, extra } = impersonated;
  const groups = getImpersonatedGroups(impersonated, isConstrained);
  const added = name === ANONYMOUS.name ? UNAUTHENTICATED : groups.includes(UNAUTHENTICATED) ? undefined : AUTHENTICATED;
  return {
    name,
    ...(uid === "" ? {} : { uid }),
    groups: added === undefined || groups.includes(added) ? groups : [...groups, added],
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

/** The requested groups, or the default groups of nodes and service accounts. */
function getImpersonatedGroups({ name, groups }: ImpersonatedUser, constrained: boolean): readonly string[] {
  if (groups.length > 0) return groups;
  if (constrained && parseNodeUsername(name) !== undefined) return ["system:nodes"];
  const account = parseServiceAccountUsername(name);
  return account === undefined ? [] : makeServiceAccountGroups(account.namespace);
}
