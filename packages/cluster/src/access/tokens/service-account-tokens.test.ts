import { seededRandom, virtualClock } from "pintle/internal/clock";
import type { JsonObject } from "pintle/kinds";
import { expect, test } from "vitest";
import { createMemoryStore } from "../../store/index.ts";
import { createServiceAccountTokens, DEFAULT_ISSUER } from "./service-account-tokens.ts";

async function issueToken(seconds = 600) {
  const store = createMemoryStore();
  const clock = virtualClock("2026-03-01T12:00:00Z");
  const tokens = createServiceAccountTokens({ store, clock, random: seededRandom(1) });
  await store.txn("/registry/serviceaccounts/a/robot", 0, {
    put: { metadata: { name: "robot", namespace: "a", uid: "u1" } } as JsonObject,
  });
  const token = tokens.issue({ namespace: "a", account: { name: "robot", uid: "u1" }, audiences: [DEFAULT_ISSUER], seconds });
  const review = (given = token) => tokens.review(given, [DEFAULT_ISSUER]);
  return { store, clock, tokens, token, review };
}

test("accepts a token until it expires, plus one minute of clock skew", async () => {
  const { clock, review } = await issueToken(600);
  expect(await review()).toMatchObject({
    type: "good",
    user: {
      name: "system:serviceaccount:a:robot",
      uid: "u1",
      groups: ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"],
    },
  });
  await clock.advance(660_000);
  expect(await review()).toMatchObject({ type: "good" });
  await clock.advance(1000);
  expect(await review()).toEqual({ type: "bad", reason: "service account token has expired" });
});

test("returns the same user object for the same token", async () => {
  const { review } = await issueToken();
  const [first, second] = [await review(), await review()];
  expect(first.type === "good" && second.type === "good" && first.user === second.user).toBe(true);
});

test("refuses tokens that are modified, unsigned or signed with another key", async () => {
  const { token, review } = await issueToken();
  const [head = "", body = "", signature = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(body, "base64url").toString());
  const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const forged = encodePart({ ...claims, sub: "system:serviceaccount:kube-system:admin" });
  const primitive = { type: "bad", reason: "go-jose/go-jose: error in cryptographic primitive" };
  expect(await review(`${head}.${forged}.${signature}`)).toEqual(primitive);
  expect(await review(`${head}.${body}.`)).toEqual(primitive);
  expect(await review(`${encodePart({ alg: "none" })}.${body}.`)).toEqual(primitive);
  const other = await issueToken();
  expect(await review(other.token)).toEqual(primitive);
  for (const nonsense of [
    "",
    "x",
    "a.b",
    "a.b.c",
    "a.b.c.d",
    `${encodePart({})}.${encodePart([])}.x`,
    "..",
    `${head}.${encodePart({ iss: "x" })}.x`,
  ]) {
    expect(await review(nonsense), nonsense).toEqual({ type: "bad", reason: undefined });
  }
});

test("refuses a token as soon as its ServiceAccount is deleted", async () => {
  const { store, review } = await issueToken();
  const { revision } = (await store.get("/registry/serviceaccounts/a/robot"))!;
  await store.txn("/registry/serviceaccounts/a/robot", revision, { delete: true });
  expect(await review()).toEqual({ type: "bad", reason: 'serviceaccounts "robot" not found' });
});

test("accepts the token of a terminating pod for one more minute", async () => {
  const { store, clock, tokens } = await issueToken();
  const pod = (metadata: object) => ({ put: { metadata: { name: "p", namespace: "a", uid: "p1", ...metadata } } as JsonObject });
  await store.txn("/registry/pods/a/p", 0, pod({ deletionTimestamp: "2026-03-01T12:00:30Z" }));
  const facts = { namespace: "a", account: { name: "robot", uid: "u1" }, audiences: [DEFAULT_ISSUER], seconds: 600 };
  const token = tokens.issue({ ...facts, pod: { name: "p", uid: "p1" } });
  await clock.advance(90_000);
  expect(await tokens.review(token, [DEFAULT_ISSUER])).toMatchObject({ type: "good" });
  await clock.advance(1);
  expect(await tokens.review(token, [DEFAULT_ISSUER])).toEqual({ type: "bad", reason: "service account token has been invalidated" });
});
