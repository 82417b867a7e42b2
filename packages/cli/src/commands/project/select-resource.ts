import { CommandError, type Io } from "../../command/index.ts";

/** A source file that defines a resource of a kind. */
interface Candidate {
  readonly file: string;
  /** `undefined`: the group is no literal. */
  readonly group: string | undefined;
}

/** Whether a resource is of the group that --group names: in full, or by the part before the first dot. */
export function isOfGroup(resource: string | undefined, group: string | undefined): boolean {
  return group === undefined || resource === group || resource?.split(".")[0] === group;
}

/**
 * Returns the resource that a command is about; `undefined` if there is none. Of several ones the user selects one on a terminal; otherwise throws a
 * usage error that lists them.
 */
export async function selectResource<T extends Candidate>(kind: string, found: readonly T[], io: Io): Promise<T | undefined> {
  if (found.length < 2) return found[0];
  const describe = ({ file, group }: Candidate) => (group === undefined ? file : `${group} (${file})`);
  const ambiguous = new CommandError(
    "PINTLE7036",
    `${kind} is defined in ${found.map(describe).join(" and ")}: use --group to select one. Nothing was changed`,
    2,
  );
  if (io.prompt === undefined) throw ambiguous;
  io.out(`${kind} is defined more than once:\n${found.map((each, i) => `  ${i + 1}  ${describe(each)}\n`).join("")}`);
  const answer = (await io.prompt("Which one? (number or group) ")).trim();
  const selected = found[Number(answer) - 1] ?? found.find(({ group }) => answer !== "" && isOfGroup(group, answer));
  if (selected === undefined) throw ambiguous;
  return selected;
}
