/** What the JSON of a Go struct field looks like; .proto files do not tell. */
export interface GoField {
  /** The number of the field in protobuf. */
  readonly number: number;
  /** Undefined without a `json` tag (structs that write their JSON themselves). */
  readonly json: string | undefined;
  /** As declared: "*int32", "[]v1.Protocol". */
  readonly type: string;
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly inline: boolean;
}

/** Structs with protobuf numbers in a Go source file, by name, fields in their order. */
export function goFile(text: string): ReadonlyMap<string, readonly GoField[]> {
  const structs = new Map<string, readonly GoField[]>();
  for (const [, name, body] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    structs.set(
      name!,
      body!.split("\n").flatMap((line) => field(line.trim()) ?? []),
    );
  }
  return structs;
}

/** `Name *Type \`json:"name,omitempty" protobuf:"bytes,1,opt,name=name"\``; an embedded struct has no name of its own. */
function field(line: string): GoField | undefined {
  const [, declared, tags] = /^((?!\/\/)[^`]+)`([^`]*)`/.exec(line) ?? [];
  const number = /protobuf:"\w+,(\d+)/.exec(tags ?? "")?.[1];
  if (declared === undefined || number === undefined) return undefined;
  const words = declared.trim().split(/\s+/);
  const [json, ...options] = /json:"([^"]*)"/.exec(tags!)?.[1]?.split(",") ?? [undefined];
  return {
    number: Number(number),
    json,
    type: words.at(-1)!,
    pointer: words.at(-1)!.startsWith("*"),
    omitEmpty: options.includes("omitempty"),
    omitZero: options.includes("omitzero"),
    inline: options.includes("inline"),
  };
}
