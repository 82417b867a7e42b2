import { protobuf } from "../generated/protobuf.ts";
import { META, META_KINDS } from "./meta-messages.ts";

/** How a message becomes JSON. The table is described where it is written: generator/cluster/protobuf of the package pintle. */
export interface Message {
  readonly name: string;
  /** In the order of the Go struct, which is the order of its JSON. */
  readonly fields: readonly Field[];
  readonly byNumber: ReadonlyMap<number, Field>;
}

export interface Field {
  readonly index: number;
  readonly number: number;
  /** When it is zero or missing: left out; written all the same; written exactly when it is on the wire; null when it is not. */
  readonly presence: "nonzero" | "always" | "wire" | "null";
  /** Undefined: its fields belong to the object around it. */
  readonly json: string | undefined;
  readonly shape: "one" | "list" | "map";
  readonly type: Letter | (() => Message);
}
export type Letter = "s" | "n" | "b" | "d" | "y" | "q" | "i" | "t" | "m" | "r" | "e";

const PRESENCE = { ".": "nonzero", "!": "always", "?": "wire", "~": "null" } as const;

let lines: ReadonlyMap<string, string> | undefined;
let kinds: ReadonlyMap<string, string> | undefined;
const messages = new Map<string, Message>();

/** The message a kind is sent as; delete options are of every group-version. */
export function messageOfKind(apiVersion: string, kind: string): Message | undefined {
  index();
  const name =
    kinds!.get(`${apiVersion}/${kind}`) ?? (kind === "DeleteOptions" ? "k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions" : undefined);
  return name === undefined ? undefined : message(name);
}

const META_PREFIX = "k8s.io.apimachinery.pkg.apis.meta.v1.";

/** The message an answer is sent as; undefined for what has none: custom resources, tables. */
export function messageOfAnswer(apiVersion: string, kind: string): Message | undefined {
  index();
  if (META_KINDS.has(kind)) return message(`${META_PREFIX}${kind}`);
  const own = kinds!.get(`${apiVersion}/${kind}`);
  if (own !== undefined) return message(own);
  if (!kind.endsWith("List")) return undefined;
  const item = messageOfAnswer(apiVersion, kind.slice(0, -"List".length));
  return item === undefined ? undefined : listOf(item);
}

const lists = new Map<Message, Message>();

/** All lists are made alike. */
function listOf(item: Message): Message {
  const known = lists.get(item);
  if (known !== undefined) return known;
  const fields: readonly Field[] = [
    { index: 0, number: 1, presence: "always", json: "metadata", shape: "one", type: () => message(`${META_PREFIX}ListMeta`) },
    { index: 1, number: 2, presence: "always", json: "items", shape: "list", type: () => item },
  ];
  const made = { name: `${item.name}List`, fields, byNumber: new Map(fields.map((each) => [each.number, each])) } as const;
  lists.set(item, made);
  return made;
}

function message(name: string): Message {
  const known = messages.get(name);
  if (known !== undefined) return known;
  const own = name.slice(0, name.lastIndexOf("."));
  const fields = lines!
    .get(name)!
    .split(" ")
    .slice(1)
    .map((word, i) => field(word, i, own));
  const made = { name, fields, byNumber: new Map(fields.map((each) => [each.number, each])) };
  messages.set(name, made);
  return made;
}

function field(word: string, index: number, own: string): Field {
  const [, number, presence, json, list, map, type = ""] = /^(\d+)([.!?~])([^:]*)(?::(\[)?(\{)?([^\]}]*)[\]}]?)?$/.exec(word)!;
  return {
    index,
    number: Number(number),
    presence: PRESENCE[presence as keyof typeof PRESENCE],
    json: json === "" ? undefined : json!,
    shape: list !== undefined ? "list" : map !== undefined ? "map" : "one",
    type: type.length < 2 ? ((type || "s") as Letter) : () => message(type.includes(".") ? type : `${own}.${type}`),
  };
}

function index(): void {
  if (lines !== undefined) return;
  const byName = new Map<string, string>();
  const byKind = new Map<string, string>();
  let own = "";
  for (const line of `${protobuf}\n${META}`.split("\n")) {
    if (!line.startsWith("\t")) {
      own = line;
      continue;
    }
    const [, name, groupVersion] = /^\t(\w+)(?:@(\S+))?/.exec(line)!;
    byName.set(`${own}.${name}`, line);
    if (groupVersion !== undefined) byKind.set(`${groupVersion}/${name}`, `${own}.${name}`);
  }
  lines = byName;
  kinds = byKind;
}
