/** A block of a PEM file. */
export interface PemBlock {
  /** The label: "CERTIFICATE". */
  readonly type: string;
  /** The block from its first to its last dash. */
  readonly text: string;
}

const BEGIN = "-----BEGIN ";
const END = "-----END ";
const DASHES = "-----";

/** Returns the complete blocks of a PEM text, in linear time. A block whose labels differ is skipped. */
export function splitPemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  let end = -1;
  for (let begin = text.indexOf(BEGIN); begin >= 0; begin = text.indexOf(BEGIN, begin + 1)) {
    const type = readLabel(text, begin + BEGIN.length);
    if (type === undefined) continue;
    if (end < begin) end = text.indexOf(END, begin);
    if (end < 0) break;
    if (readLabel(text, end + END.length) !== type) continue;
    const after = end + END.length + type.length + DASHES.length;
    blocks.push({ type, text: text.slice(begin, after) });
    begin = after - 1;
  }
  return blocks;
}

const LABEL = /([A-Z0-9 ]{0,64})-----/y;

function readLabel(text: string, at: number): string | undefined {
  LABEL.lastIndex = at;
  return LABEL.exec(text)?.[1];
}
