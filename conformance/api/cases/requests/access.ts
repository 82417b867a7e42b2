import { type ApiCase, type CaseContext, requestCases } from "../../case.ts";

/** Authorization messages and reviews; `conformance/access` tests all users, verbs and resources. */
export function access({ configMaps, widgets, namespace }: CaseContext): readonly ApiCase[] {
  const as = (user: string, ...groups: string[]) => ({
    "impersonate-user": user,
    ...(groups.length === 0 ? {} : { "impersonate-group": groups.join() }),
  });
  const jane = as("jane");
  const here = `/api/v1/namespaces/${namespace}`;
  const AUTHORIZATION = "/apis/authorization.k8s.io/v1";
  const attributes = { namespace, verb: "get", resource: "pods" };
  const review = (spec: object) => ({ spec });
  const tokens = `${here}/serviceaccounts/robot/token`;
  const token = (spec: object) => ({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec });
  const claims = (jwt: string) => JSON.parse(Buffer.from(jwt.split(".")[1] as string, "base64url").toString());
  const tokenCase = (title: string, spec: object): ApiCase => [
    title,
    async (target) => {
      const { status, body } = await target.send("POST", tokens, token(spec));
      if (status !== 201) return [status, body];
      const { sub, aud, "kubernetes.io": about, ...rest } = claims(body.status.token);
      return [
        status,
        Object.keys(body.status),
        sub,
        spec === undefined ? aud.length : aud,
        about,
        Object.keys(rest).sort(),
        rest.exp - rest.iat,
      ];
    },
  ];
  return [
    ...requestCases(
      ["G6 list without the right", "GET", configMaps, undefined, jane],
      ["G6 get without the right", "GET", `${configMaps}/x`, undefined, jane],
      ["G6 list everywhere without the right", "GET", "/api/v1/pods", undefined, jane],
      ["G6 watch without the right", "GET", `${widgets}?watch=1`, undefined, jane],
      ["G6 create without the right", "POST", widgets, {}, jane],
      ["G6 delete without the right", "DELETE", `${widgets}/x`, undefined, jane],
      ["G6 delete all without the right", "DELETE", widgets, undefined, jane],
      ["G6 a subresource without the right", "GET", `${widgets}/x/status`, undefined, jane],
      ["G6 a path without the right", "GET", "/logs", undefined, jane],
      ["G6 a namespace without the right", "GET", here, undefined, jane],
      ["G6 a path that is public", "GET", "/apis/example.com", undefined, jane],
      ["G6 discovery without the right", "GET", "/livez", undefined, as("system:anonymous", "system:unauthenticated")],
      ["G6 a group without a user", "GET", configMaps, undefined, { "impersonate-group": "a" }],
      ["G6 a review of jane", "POST", `${AUTHORIZATION}/subjectaccessreviews`, review({ user: "jane", resourceAttributes: attributes })],
      [
        "G6 a review of system:masters",
        "POST",
        `${AUTHORIZATION}/subjectaccessreviews`,
        review({ user: "x", groups: ["system:masters"], resourceAttributes: attributes }),
      ],
      ["G6 a review without a user", "POST", `${AUTHORIZATION}/subjectaccessreviews`, review({ resourceAttributes: attributes })],
      ["G6 a review without attributes", "POST", `${AUTHORIZATION}/subjectaccessreviews`, review({ user: "jane" })],
      ["G6 a self review", "POST", `${AUTHORIZATION}/selfsubjectaccessreviews`, review({ resourceAttributes: attributes })],
      [
        "G6 a self review, as jane",
        "POST",
        `${AUTHORIZATION}/selfsubjectaccessreviews`,
        review({ nonResourceAttributes: { path: "/logs", verb: "get" } }),
        jane,
      ],
      [
        "G6 a local review of jane",
        "POST",
        `${AUTHORIZATION}/namespaces/${namespace}/localsubjectaccessreviews`,
        { metadata: { namespace }, spec: { user: "jane", resourceAttributes: attributes } },
      ],
      [
        "G6 a local review of another namespace",
        "POST",
        `${AUTHORIZATION}/namespaces/${namespace}/localsubjectaccessreviews`,
        { metadata: { namespace }, spec: { user: "jane", resourceAttributes: { ...attributes, namespace: "other" } } },
      ],
      ["G6 a SelfSubjectReview, as jane", "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, as("jane", "a")],
      ["G6 a token review", "POST", "/apis/authentication.k8s.io/v1/tokenreviews", review({ token: "nonsense" })],
      ["G6 a token review without a token", "POST", "/apis/authentication.k8s.io/v1/tokenreviews", review({})],
      ["G6 A3 list reviews", "GET", `${AUTHORIZATION}/subjectaccessreviews`],
      ["G6 A2 get a review", "GET", `${AUTHORIZATION}/subjectaccessreviews/x`],
      ["G7 an account", "POST", `${here}/serviceaccounts`, { metadata: { name: "robot" } }],
      ["G7 a token for too short", "POST", tokens, token({ expirationSeconds: 599 })],
      ["G7 a token for too long", "POST", tokens, token({ expirationSeconds: 2 ** 32 + 1 })],
      ["G7 a token bound to what cannot be", "POST", tokens, token({ boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "x" } })],
      ["G7 a token bound to what is missing", "POST", tokens, token({ boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "nope" } })],
      ["G7 a token of a missing account", "POST", `${here}/serviceaccounts/nope/token`, token({})],
      ["G7 A3 get a token", "GET", tokens],
    ),
    tokenCase("G7 a token for two audiences", { audiences: ["a", "b"], expirationSeconds: 600 }),
    tokenCase("G7 a token for an hour", { audiences: ["a"] }),
    ["G7 a secret to bind to", async (target) => (await target.send("POST", `${here}/secrets`, { metadata: { name: "bound" } })).status],
    tokenCase("G7 a token bound to it", { audiences: ["a"], boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "bound" } }),
    [
      "G7 the keys to check them with",
      async (target) => {
        const { status, type, body } = await target.send("GET", "/openid/v1/jwks");
        return [status, type, body.keys.map((key: any) => [key.use, typeof key.kid, key.kty !== undefined])];
      },
    ],
    [
      "G7 G6 with such a token",
      async (target) => {
        const { body } = await target.send("POST", tokens, {});
        const answer = await target.send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review({ token: body.status.token }));
        const { user, authenticated } = answer.body.status;
        return [answer.status, authenticated, user.username, user.groups, Object.keys(user.extra)];
      },
    ],
  ];
}
