import { allow, type Case, create, deny, mutating, onConfigMaps, type patch, says, validating } from "../case.ts";

type Program = ReturnType<typeof patch>;

/** Notes in an annotation that it was here, and how often. */
const note = (name: string): Program =>
  says((review) => {
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
/** The same, once only. */
const noteOnce =
  (name: string): Program =>
  (review) =>
    (review.request.object.metadata.annotations?.trace ?? "").includes(name) ? allow()(review) : note(name)(review);
const needed = { ...onConfigMaps(), reinvocationPolicy: "IfNeeded" };

export const order: readonly Case[] = [
  {
    title: "in the order of the configuration",
    hooks: [mutating(note("z"), onConfigMaps(), "z"), mutating(note("a"), onConfigMaps(), "a"), mutating(note("m"), onConfigMaps(), "m")],
    steps: [create()],
    reviews: true,
  },
  {
    title: "configurations by their names",
    hooks: [
      mutating(note("3"), onConfigMaps(), "x", { in: "c" }),
      mutating(note("1"), onConfigMaps(), "y", { in: "a" }),
      mutating(note("2"), onConfigMaps(), "z", { in: "b" }),
    ],
    steps: [create()],
    reviews: true,
  },
  { title: "mutating before validating", hooks: [validating(allow()), mutating(note("m"))], steps: [create()], reviews: true },
  {
    title: "the first mutating denial ends it",
    hooks: [mutating(deny({ message: "one" }), onConfigMaps(), "one"), mutating(note("two"), onConfigMaps(), "two"), validating(allow())],
    steps: [create()],
    reviews: true,
  },
  {
    title: "what is invalid does not reach validating webhooks",
    hooks: [validating(deny({ message: "no" }))],
    steps: [create("Not A Name")],
    reviews: true,
  },
  {
    title: "what is invalid does reach mutating webhooks",
    hooks: [mutating(allow())],
    steps: [create("Not A Name")],
    reviews: true,
  },
  {
    title: "asked again where something changed",
    hooks: [mutating(noteOnce("a"), needed, "a"), mutating(noteOnce("b"), onConfigMaps(), "b")],
    steps: [create()],
    reviews: true,
  },
  {
    title: "not asked again where nothing changed",
    hooks: [mutating(note("a"), needed, "a"), mutating(allow(), onConfigMaps(), "b")],
    steps: [create()],
    reviews: true,
  },
  {
    title: "never asked again without the wish",
    hooks: [mutating(noteOnce("a"), onConfigMaps(), "a"), mutating(noteOnce("b"), onConfigMaps(), "b")],
    steps: [create()],
    reviews: true,
  },
  {
    title: "asked again once only",
    hooks: [mutating(note("a"), needed, "a"), mutating(note("b"), needed, "b"), mutating(note("c"), needed, "c")],
    steps: [create()],
    reviews: true,
  },
  {
    title: "asked again across configurations",
    hooks: [mutating(noteOnce("a"), needed, "a", { in: "a" }), mutating(noteOnce("b"), needed, "b", { in: "b" })],
    steps: [create()],
    reviews: true,
  },
  {
    title: "not asked for the first time in the second round",
    hooks: [
      mutating(allow(), { ...needed, objectSelector: { matchLabels: { later: "yes" } } }, "a"),
      mutating(noteOnce("x"), needed, "b"),
      mutating(
        (review) =>
          says((seen) => ({
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
    title: "validating webhooks see what was made",
    hooks: [
      mutating(note("m")),
      validating((review) =>
        review.request.object.metadata.annotations.trace === "m" ? deny({ message: "seen" })(review) : allow()(review),
      ),
    ],
    steps: [create()],
  },
];
