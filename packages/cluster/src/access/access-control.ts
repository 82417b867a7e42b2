import type { Clock, Random } from "pintle/queue";
import type { ActionSubresource, AdmissionPlugin, ApiServerOptions, Impersonation, UserInfo } from "../api/index.ts";
import type { Store } from "../store/index.ts";
import { impersonation } from "./impersonation/impersonation.ts";
import { alwaysAllow, alwaysDeny, anyOf, type RuleAuthorizer, rbac } from "./rbac/authorizer.ts";
import { escalation } from "./rbac/escalation.ts";
import { followPolicy } from "./rbac/policy.ts";
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from "./reviews/access-review.ts";
import type { Ask } from "./reviews/question.ts";
import { selfSubjectRulesReview } from "./reviews/rules-review.ts";
import { selfSubjectReview, tokenReview } from "./reviews/user-review.ts";
import { signers } from "./signers.ts";
import { type AccountRules, accountTokens } from "./tokens/account-tokens.ts";
import { type Authenticator, authenticator } from "./tokens/authenticator.ts";
import { openIdPages } from "./tokens/open-id.ts";
import { tokenRequest } from "./tokens/token-request.ts";

export type AuthorizationMode = "RBAC" | "AlwaysAllow" | "AlwaysDeny";

export interface AccessOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** What one of several allows is allowed. */
  readonly mode: AuthorizationMode | readonly AuthorizationMode[];
  /** Bearer tokens that always stand for the same user. */
  readonly tokens: Readonly<Record<string, UserInfo>>;
  /** Where the server is reached: "https://127.0.0.1:6443". */
  readonly address: () => string;
  /** What service-account tokens are signed with, as PEM text; default: a key of its own. */
  readonly signingKey?: string | undefined;
  /** What else is to be known about tokens of service accounts. */
  readonly accounts?: AccountRules | undefined;
}

/** What the pipeline takes from here. */
export interface AccessControl {
  readonly authorizer: RuleAuthorizer;
  readonly authenticator: Authenticator;
  readonly impersonation: Impersonation;
  /** The last links of the chain: they see objects as they will be. */
  readonly admission: readonly AdmissionPlugin[];
  readonly pages: NonNullable<ApiServerOptions["pages"]>;
  /** By kind: what questions are answered with, and how a ServiceAccount gets a token. */
  readonly kinds: Readonly<Record<string, { readonly ask?: Ask; readonly actions?: Readonly<Record<string, ActionSubresource["act"]>> }>>;
  stop(): void;
}

export async function accessControl(options: AccessOptions): Promise<AccessControl> {
  const { store, clock, random, mode, tokens, address, signingKey } = options;
  const policy = await followPolicy(store);
  const known = { RBAC: rbac(policy), AlwaysAllow: alwaysAllow, AlwaysDeny: alwaysDeny };
  const authorizer = anyOf([mode].flat().map((each) => known[each]));
  const accounts = accountTokens({ store, clock, random, signingKey, rules: options.accounts });
  const authenticated = authenticator(accounts, tokens);
  return {
    authorizer,
    authenticator: authenticated,
    impersonation: impersonation(authorizer),
    admission: [escalation(authorizer, policy), signers(authorizer)],
    pages: openIdPages(accounts, address),
    kinds: {
      LocalSubjectAccessReview: { ask: localSubjectAccessReview(authorizer) },
      SelfSubjectAccessReview: { ask: selfSubjectAccessReview(authorizer) },
      SelfSubjectReview: { ask: selfSubjectReview },
      SelfSubjectRulesReview: { ask: selfSubjectRulesReview(authorizer) },
      SubjectAccessReview: { ask: subjectAccessReview(authorizer) },
      TokenReview: { ask: tokenReview(authenticated) },
      ServiceAccount: { actions: { token: tokenRequest(accounts) } },
    },
    stop: policy.stop,
  };
}
