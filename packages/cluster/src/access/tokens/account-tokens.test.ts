import type { JsonObject } from "pintle/kinds";
import { seeded, virtualClock } from "pintle/queue";
import { expect, test } from "vitest";
import { memoryStore } from "../../store/index.ts";
import { accountTokens, ISSUER } from "./account-tokens.ts";

async function issued(seconds = 600) {
  const store = memoryStore();
  const clock = virtualClock("2026-03-01T12:00:00Z");
  const tokens = accountTokens({ store, clock, random: seeded(1) });
  await store.txn("/registry/serviceaccounts/a/robot", 0, {
    put: { metadata: { name: "robot", namespace: "a", uid: "u1" } } as JsonObject,
  });
  const token = tokens.issue({ namespace: "a", account: { name: "robot", uid: "u1" }, audiences: [ISSUER], seconds });
  const review = (given = token) => tokens.review(given, [ISSUER]);
  return { store, clock, tokens, token, review };
}

test("a token stands for its account until it ends, and a minute of doubt", async () => {
  const { clock, review } = await issued(600);
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
  expect(await review()).toEqual({ type: "bad", why: "service account token has expired" });
});

test("the same token is the same user value, so that what is known of it stays known", async () => {
  const { review } = await issued();
  const [first, second] = [await review(), await review()];
  expect(first.type === "good" && second.type === "good" && first.user === second.user).toBe(true);
});

test("what was changed, signed by others or not signed is nobody's", async () => {
  const { token, review } = await issued();
  const [head = "", body = "", signature = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(body, "base64url").toString());
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const forged = encoded({ ...claims, sub: "system:serviceaccount:kube-system:admin" });
  const primitive = { type: "bad", why: "go-jose/go-jose: error in cryptographic primitive" };
  expect(await review(`${head}.${forged}.${signature}`)).toEqual(primitive);
  expect(await review(`${head}.${body}.`)).toEqual(primitive);
  expect(await review(`${encoded({ alg: "none" })}.${body}.`)).toEqual(primitive);
  const other = await issued();
  expect(await review(other.token)).toEqual(primitive);
  for (const nonsense of [
    "",
    "x",
    "a.b",
    "a.b.c",
    "a.b.c.d",
    `${encoded({})}.${encoded([])}.x`,
    "..",
    `${head}.${encoded({ iss: "x" })}.x`,
  ]) {
    expect(await review(nonsense), nonsense).toEqual({ type: "bad", why: undefined });
  }
});

test("it ends with its account, at once", async () => {
  const { store, review } = await issued();
  const { revision } = (await store.get("/registry/serviceaccounts/a/robot"))!;
  await store.txn("/registry/serviceaccounts/a/robot", revision, { delete: true });
  expect(await review()).toEqual({ type: "bad", why: 'serviceaccounts "robot" not found' });
});

test("a pod that is going vouches for its token a minute longer", async () => {
  const { store, clock, tokens } = await issued();
  const pod = (metadata: object) => ({ put: { metadata: { name: "p", namespace: "a", uid: "p1", ...metadata } } as JsonObject });
  await store.txn("/registry/pods/a/p", 0, pod({ deletionTimestamp: "2026-03-01T12:00:30Z" }));
  const facts = { namespace: "a", account: { name: "robot", uid: "u1" }, audiences: [ISSUER], seconds: 600 };
  const token = tokens.issue({ ...facts, pod: { name: "p", uid: "p1" } });
  await clock.advance(90_000);
  expect(await tokens.review(token, [ISSUER])).toMatchObject({ type: "good" });
  await clock.advance(1);
  expect(await tokens.review(token, [ISSUER])).toEqual({ type: "bad", why: "service account token has been invalidated" });
});
