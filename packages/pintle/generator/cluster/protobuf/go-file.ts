/** How a Go struct field is encoded as JSON, which .proto files do not contain. */
export interface GoField {
  /** The protobuf field number. */
  readonly number: number;
  /** The JSON name; undefined without a `json` tag (structs with their own MarshalJSON). */
  readonly json: string | undefined;
  /** The declared type: "*int32", "[]v1.Protocol". */
  readonly type: string;
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly inline: boolean;
}

/** Parses the structs with protobuf tags in a Go source file, by name, fields in their order. */
export function parseGoFile(text: string): ReadonlyMap<string, readonly GoField[]> {
  const structs = new Map<string, readonly GoField[]>();
  for (const [, name, body] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    structs.set(
      name!,
      body!.split("\n").flatMap((line) => parseGoField(line.trim()) ?? []),
    );
  }
  return structs;
}

/** Parses `Name *Type \`json:"name,omitempty" protobuf:"bytes,1,opt,name=name"\``; an embedded struct has no field name. */
function parseGoField(line: string): GoField | undefined {
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
