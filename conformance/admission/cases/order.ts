import { allow, type Case, create, deny, mutating, onConfigMaps, type patch, respondWith, validating } from "../case.ts";

type PatchProgram = ReturnType<typeof patch>;

/** A handler that counts its calls in an annotation. */
const appendCall = (name: string): PatchProgram =>
  respondWith((review) => {
    const { object } = review.request;
    const before = object.metadata.annotations?.trace ?? "";
    const operations = [{ op: "add", path: "/metadata/annotations", value: { ...object.metadata.annotations, trace: `${before}${name}` } }];
    return {
      apiVersion: review.apiVersion,
      kind: review.kind,
      response: {
        uid: review.request.uid,
        allowed: true,
        patchType: "JSONPatch",
        patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
      },
    };
  });
/** The same, but only for the first call. */
const appendCallOnce =
  (name: string): PatchProgram =>
  (review) =>
    (review.request.object.metadata.annotations?.trace ?? "").includes(name) ? allow()(review) : appendCall(name)(review);
const reinvoked = { ...onConfigMaps(), reinvocationPolicy: "IfNeeded" };

export const order: readonly Case[] = [
  {
    title: "webhooks run in the order of their configuration",
    hooks: [
      mutating(appendCall("z"), onConfigMaps(), "z"),
      mutating(appendCall("a"), onConfigMaps(), "a"),
      mutating(appendCall("m"), onConfigMaps(), "m"),
    ],
    steps: [create()],
    reviews: true,
  },
  {
    title: "configurations run in the order of their names",
    hooks: [
      mutating(appendCall("3"), onConfigMaps(), "x", { in: "c" }),
      mutating(appendCall("1"), onConfigMaps(), "y", { in: "a" }),
      mutating(appendCall("2"), onConfigMaps(), "z", { in: "b" }),
    ],
    steps: [create()],
    reviews: true,
  },
  {
    title: "mutating webhooks run before validating ones",
    hooks: [validating(allow()), mutating(appendCall("m"))],
    steps: [create()],
    reviews: true,
  },
  {
    title: "the first denial of a mutating webhook ends admission",
    hooks: [
      mutating(deny({ message: "one" }), onConfigMaps(), "one"),
      mutating(appendCall("two"), onConfigMaps(), "two"),
      validating(allow()),
    ],
    steps: [create()],
    reviews: true,
  },
  {
    title: "an invalid object does not reach validating webhooks",
    hooks: [validating(deny({ message: "no" }))],
    steps: [create("Not A Name")],
    reviews: true,
  },
  {
    title: "an invalid object reaches mutating webhooks",
    hooks: [mutating(allow())],
    steps: [create("Not A Name")],
    reviews: true,
  },
  {
    title: "a webhook is reinvoked when a later one changes the object",
    hooks: [mutating(appendCallOnce("a"), reinvoked, "a"), mutating(appendCallOnce("b"), onConfigMaps(), "b")],
    steps: [create()],
    reviews: true,
  },
  {
    title: "a webhook is not reinvoked when nothing changed",
    hooks: [mutating(appendCall("a"), reinvoked, "a"), mutating(allow(), onConfigMaps(), "b")],
    steps: [create()],
    reviews: true,
  },
  {
    title: "a webhook with reinvocationPolicy Never is not reinvoked",
    hooks: [mutating(appendCallOnce("a"), onConfigMaps(), "a"), mutating(appendCallOnce("b"), onConfigMaps(), "b")],
    steps: [create()],
    reviews: true,
  },
  {
    title: "a webhook is reinvoked only once",
    hooks: [
      mutating(appendCall("a"), reinvoked, "a"),
      mutating(appendCall("b"), reinvoked, "b"),
      mutating(appendCall("c"), reinvoked, "c"),
    ],
    steps: [create()],
    reviews: true,
  },
  {
    title: "a webhook is reinvoked across configurations",
    hooks: [mutating(appendCallOnce("a"), reinvoked, "a", { in: "a" }), mutating(appendCallOnce("b"), reinvoked, "b", { in: "b" })],
    steps: [create()],
    reviews: true,
  },
  {
    title: "a webhook is not called for the first time during reinvocation",
    hooks: [
      mutating(allow(), { ...reinvoked, objectSelector: { matchLabels: { later: "yes" } } }, "a"),
      mutating(appendCallOnce("x"), reinvoked, "b"),
      mutating(
        (review) =>
          respondWith((seen) => ({
            apiVersion: seen.apiVersion,
            kind: seen.kind,
            response: {
              uid: seen.request.uid,
              allowed: true,
              patchType: "JSONPatch",
              patch: Buffer.from('[{"op":"add","path":"/metadata/labels","value":{"later":"yes"}}]').toString("base64"),
            },
          }))(review),
        onConfigMaps(),
        "c",
      ),
    ],
    steps: [create()],
    reviews: true,
  },
  {
    title: "validating webhooks see the mutated object",
    hooks: [
      mutating(appendCall("m")),
      validating((review) =>
        review.request.object.metadata.annotations.trace === "m" ? deny({ message: "seen" })(review) : allow()(review),
      ),
    ],
    steps: [create()],
  },
];
