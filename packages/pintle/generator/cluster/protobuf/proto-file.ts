/** A message in a .proto file. */
export interface ProtoMessage {
  /** "k8s.io.api.core.v1". */
  readonly package: string;
  readonly name: string;
  readonly fields: readonly ProtoField[];
}

export interface ProtoField {
  readonly number: number;
  readonly name: string;
  readonly shape: "one" | "list" | "map";
  /** A scalar, or the full name of a message; for a map, the type of its values (its keys are strings). */
  readonly type: string;
}

const SCALARS = new Set(["string", "int32", "int64", "bool", "double", "bytes"]);

/** Parses the subset of the language that Kubernetes' .proto files use: flat proto2 messages. */
export function parseProtoFile(text: string): readonly ProtoMessage[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");
  const own = /^package ([\w.]+);/m.exec(code)?.[1];
  if (own === undefined) throw new Error("The .proto file has no package");
  return [...code.matchAll(/^message (\w+) \{([^}]*)\}/gm)].map(([, name, body]) => ({
    package: own,
    name: name!,
    fields: statements(body!).map((statement) => parseProtoField(statement, own)),
  }));
}

function statements(body: string): readonly string[] {
  return body
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

function parseProtoField(statement: string, own: string): ProtoField {
  const map = /^map<string, ([\w.]+)> (\w+) = (\d+)$/.exec(statement);
  if (map !== null) return { number: Number(map[3]), name: map[2]!, shape: "map", type: fullName(map[1]!, own) };
  const plain = /^(optional|repeated) ([\w.]+) (\w+) = (\d+)$/.exec(statement);
  if (plain === null) throw new Error(`Unsupported statement in ${own}: ${statement}`);
  return { number: Number(plain[4]), name: plain[3]!, shape: plain[1] === "repeated" ? "list" : "one", type: fullName(plain[2]!, own) };
}

function fullName(type: string, own: string): string {
  if (SCALARS.has(type)) return type;
  return type.startsWith(".") ? type.slice(1) : `${own}.${type}`;
}
