/** A Kubernetes LabelSelector as it stands in a spec. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] | undefined }[]
    | undefined;
}
/** Any of the ways people write one: `{ app: "web" }`, "app in (web, api), !legacy", or `labelSelector(spec.selector)`. */
export type Labels = string | Readonly<Record<string, string>> | Matcher;

/** A selector that can be sent to a server and asked locally. */
export interface Matcher {
  /** What goes into the `labelSelector` parameter. */
  readonly text: string;
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
}

interface Requirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values: readonly string[];
}

/** Understands a selector. Unlike an absent one, `{}` matches everything. */
export function matcher(labels: Labels): Matcher {
  if (typeof labels === "string") return of(parse(labels));
  if (typeof labels["matches"] === "function") return labels as Matcher;
  return of(Object.entries(labels).map(([key, value]) => ({ key, operator: "In", values: [value] })));
}

/** The LabelSelector of a spec. As everywhere in Kubernetes: empty matches everything, absent matches nothing. */
export function labelSelector(selector: LabelSelector | undefined): Matcher {
  if (selector === undefined) return { text: "", matches: () => false };
  const plain = Object.entries(selector.matchLabels ?? {}).map(([key, value]): Requirement => ({ key, operator: "In", values: [value] }));
  const more = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }): Requirement => {
    if (!["In", "NotIn", "Exists", "DoesNotExist"].includes(operator)) throw new Error(`label selector: ${operator} is not an operator`);
    return { key, operator: operator as Requirement["operator"], values };
  });
  return of([...plain, ...more]);
}

function of(requirements: readonly Requirement[]): Matcher {
  return {
    text: requirements.map(textOf).join(","),
    matches: (labels) => requirements.every((requirement) => meets(requirement, labels?.[requirement.key])),
  };
}

function meets({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
}

function textOf({ key, operator, values }: Requirement): string {
  if (operator === "Exists") return key;
  if (operator === "DoesNotExist") return `!${key}`;
  if (values.length === 1) return `${key}${operator === "In" ? "=" : "!="}${values[0]}`;
  return `${key} ${operator === "In" ? "in" : "notin"} (${values.join(",")})`;
}

const TERM =
  /^\s*(?:!\s*(?<absent>[^\s,()=!]+)|(?<key>[^\s,()=!]+)\s*(?:(?<op>==|=|!=)\s*(?<value>[^\s,()=!]*)|(?<set>in|notin)\s*\((?<values>[^()]*)\))?)\s*(?:,|$)/;

function parse(text: string): Requirement[] {
  const requirements: Requirement[] = [];
  let rest = text;
  while (rest.trim() !== "") {
    const term = TERM.exec(rest);
    if (term === null) throw new Error(`label selector ${JSON.stringify(text)}: cannot read ${JSON.stringify(rest.trim())}`);
    const { absent, key, op, value, set, values } = term.groups!;
    if (absent !== undefined) requirements.push({ key: absent, operator: "DoesNotExist", values: [] });
    else if (op !== undefined) requirements.push({ key: key!, operator: op === "!=" ? "NotIn" : "In", values: [value!] });
    else if (set !== undefined) {
      const list = values!.split(",").map((item) => item.trim());
      requirements.push({ key: key!, operator: set === "in" ? "In" : "NotIn", values: list });
    } else requirements.push({ key: key!, operator: "Exists", values: [] });
    rest = rest.slice(term[0].length);
  }
  return requirements;
}
