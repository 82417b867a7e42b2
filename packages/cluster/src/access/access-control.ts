import type { Clock, Random } from "pintle/internal/clock";
import type { ActionSubresource, AdmissionPlugin, ApiServerOptions, Impersonator, UserInfo } from "../api/index.ts";
import type { ObjectStore } from "../store/index.ts";
import { createCertificateSigningPlugin } from "./certificate-signing-plugin.ts";
import { createImpersonation } from "./impersonation/impersonation.ts";
import { watchNodeAccess } from "./node/node-access.ts";
import { createNodeAuthorizer } from "./node/node-authorizer.ts";
import { alwaysAllow, alwaysDeny, createRbacAuthorizer, createUnionAuthorizer, type RuleAuthorizer } from "./rbac/authorizer.ts";
import { createEscalationPlugin } from "./rbac/escalation.ts";
import { watchRbacPolicy } from "./rbac/policy.ts";
import {
  createLocalSubjectAccessReviewHandler,
  createSelfSubjectAccessReviewHandler,
  createSelfSubjectRulesReviewHandler,
  createSubjectAccessReviewHandler,
} from "./reviews/access-review.ts";
import type { ReviewHandler } from "./reviews/review-handler.ts";
import { createTokenReviewHandler, reviewSelfSubject } from "./reviews/user-review.ts";
import { createOpenIdEndpoints } from "./tokens/openid-endpoints.ts";
import { createServiceAccountTokens, type ServiceAccountTokenOptions } from "./tokens/service-account-tokens.ts";
import { createTokenRequestHandler } from "./tokens/token-request.ts";
import { createTokenReviewer, type TokenReviewer } from "./tokens/token-reviewer.ts";

/** How requests are authorized: by RBAC objects, as requests of a kubelet for its node, always, or never. */
export type AuthorizationMode = "RBAC" | "Node" | "AlwaysAllow" | "AlwaysDeny";

export interface AccessControlOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  /** With several modes, a request is allowed if one of them allows it. */
  readonly mode: AuthorizationMode | readonly AuthorizationMode[];
  /** Static bearer tokens. */
  readonly tokens: Readonly<Record<string, UserInfo>>;
  /** Returns the server's address, for example "https://127.0.0.1:6443". */
  readonly address: () => string;
  /** PEM key that signs service account tokens. Default: a generated one. */
  readonly signingKey?: string | undefined;
  /** Issuers, audiences and lifetime of service account tokens. */
  readonly accounts?: ServiceAccountTokenOptions | undefined;
}

/** Authentication and authorization as the request pipeline uses them. */
export interface AccessControl {
  readonly authorizer: RuleAuthorizer;
  readonly authenticator: TokenReviewer;
  readonly impersonation: Impersonator;
  /** Admission plugins that run last, so that they see the final object. */
  readonly admission: readonly AdmissionPlugin[];
  readonly pages: NonNullable<ApiServerOptions["pages"]>;
  /** By kind: the handlers of review kinds, and the token subresource of ServiceAccount. */
  readonly kinds: Readonly<
    Record<string, { readonly evaluateReview?: ReviewHandler; readonly actions?: Readonly<Record<string, ActionSubresource["execute"]>> }>
  >;
  stop(): void;
}

export async function createAccessControl(options: AccessControlOptions): Promise<AccessControl> {
  const { store, clock, random, mode, tokens, address, signingKey } = options;
  const policy = await watchRbacPolicy(store);
  const modes = [mode].flat();
  const nodeAccess = modes.includes("Node") ? await watchNodeAccess(store) : undefined;
  const known = {
    RBAC: createRbacAuthorizer(policy),
    Node: nodeAccess === undefined ? alwaysDeny : createNodeAuthorizer(nodeAccess),
    AlwaysAllow: alwaysAllow,
    AlwaysDeny: alwaysDeny,
  };
  const authorizer = createUnionAuthorizer(modes.map((each) => known[each]));
  const accounts = createServiceAccountTokens({ store, clock, random, signingKey, options: options.accounts });
  const authenticated = createTokenReviewer(accounts, tokens);
  return {
    authorizer,
    authenticator: authenticated,
    impersonation: createImpersonation(authorizer),
    admission: [createEscalationPlugin(authorizer, policy), createCertificateSigningPlugin(authorizer)],
    pages: createOpenIdEndpoints(accounts, address),
    kinds: {
      LocalSubjectAccessReview: { evaluateReview: createLocalSubjectAccessReviewHandler(authorizer) },
      SelfSubjectAccessReview: { evaluateReview: createSelfSubjectAccessReviewHandler(authorizer) },
      SelfSubjectReview: { evaluateReview: reviewSelfSubject },
      SelfSubjectRulesReview: { evaluateReview: createSelfSubjectRulesReviewHandler(authorizer) },
      SubjectAccessReview: { evaluateReview: createSubjectAccessReviewHandler(authorizer) },
      TokenReview: { evaluateReview: createTokenReviewHandler(authenticated) },
      ServiceAccount: { actions: { token: createTokenRequestHandler(accounts) } },
    },
    stop() {
      policy.stop();
      nodeAccess?.stop();
    },
  };
}
