import type { ResourceRequirements } from "pintle/kinds/core/v1";
import { fieldError, qualifiedNameProblems } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { compareQuantities, nanos } from "../text/quantities.ts";
import { dnsLabel, invalidFor, nonnegativeQuantity, type Problems } from "./problems.ts";

const HUGE_PAGES = /^(requests\.)?hugepages-/;
const CONTAINER = new Set(["cpu", "memory", "ephemeral-storage"]);
const COUNTS = new Set(
  `pods resourcequotas services replicationcontrollers secrets configmaps persistentvolumeclaims services.nodeports
   services.loadbalancers`.split(/\s+/),
);
const QUOTA = new Set([
  ...CONTAINER,
  ...COUNTS,
  ...["cpu", "memory", "storage", "ephemeral-storage"].map((name) => `requests.${name}`),
  ...["cpu", "memory", "ephemeral-storage"].map((name) => `limits.${name}`),
]);

const NO_QUANTITIES: readonly (readonly [string, string])[] = [];

const isNative = (name: string) => !name.includes("/") || name.includes("kubernetes.io/");
export const mayOvercommit = (name: string) => isNative(name) && !/^hugepages-/.test(name);
export const isExtended = (name: string) =>
  !isNative(name) && !name.startsWith("requests.") && qualifiedNameProblems(`requests.${name}`).length === 0;

/** Any resource there is. */
export function* resourceName(field: string, name: string): Problems {
  const problems = qualifiedNameProblems(name);
  yield* invalidFor(field, name, problems);
  if (problems.length > 0 || name.includes("/") || QUOTA.has(name) || name === "storage" || HUGE_PAGES.test(name)) return;
  yield fieldError.invalid(field, name, "must be a standard resource type or fully qualified");
}

export function* containerResourceName(field: string, name: string): Problems {
  if (CONTAINER.has(name)) return;
  yield* resourceName(field, name);
  if (!name.includes("/")) {
    if (!/^hugepages-/.test(name)) yield fieldError.invalid(field, name, "must be a standard resource for containers");
  } else if (!isNative(name) && !isExtended(name)) yield fieldError.invalid(field, name, "doesn't follow extended resource name standard");
}

export function* quotaResourceName(field: string, name: string): Problems {
  yield* resourceName(field, name);
  if (!name.includes("/") && !QUOTA.has(name) && !HUGE_PAGES.test(name)) {
    yield fieldError.invalid(field, name, "must be a standard resource for quota");
  }
}

export function* resourceQuantity(field: string, name: string, value: string): Problems {
  yield* nonnegativeQuantity(field, value);
  if (!CONTAINER.has(name) && (COUNTS.has(name) || isExtended(name)) && nanos(value) % 1_000_000_000n !== 0n) {
    yield fieldError.invalid(field, value, "must be an integer");
  }
}

type Requirements = Loose<ResourceRequirements> | null | undefined;
type Quantities = Readonly<Record<string, string | null | undefined>>;

/** The server goes through resources in no order; ours is the alphabet's. */
const entries = (list: Quantities | null | undefined) =>
  list == null
    ? NO_QUANTITIES
    : Object.keys(list)
        .sort()
        .map((name) => [name, list[name] ?? "0"] as const);

/** `claims` has the names of the claims a pod may use. */
export function* containerResources(
  field: string,
  resources: Requirements,
  claims: ReadonlySet<string>,
  nameProblems: (field: string, name: string) => Problems = containerResourceName,
): Problems {
  const limits = resources?.limits ?? {};
  const quantityOf = function* (at: string, name: string, value: string): Problems {
    yield* nameProblems(at, name);
    yield* resourceQuantity(at, name, value);
    yield* wholePages(at, name, value);
  };
  for (const [name, value] of entries(limits)) yield* quantityOf(`${field}.limits[${name}]`, name, value);
  for (const [name, value] of entries(resources?.requests)) {
    yield* quantityOf(`${field}.requests[${name}]`, name, value);
    yield* requestWithinLimit(field, name, value, limits[name]);
  }
  const names = [...Object.keys(limits), ...Object.keys(resources?.requests ?? {})];
  if (names.some((name) => /^hugepages-/.test(name)) && !names.includes("cpu") && !names.includes("memory")) {
    yield fieldError.forbidden(field, "HugePages require cpu or memory");
  }
  if (resources?.claims) yield* claimNames(`${field}.claims`, resources, claims);
}

function* wholePages(field: string, name: string, value: string): Problems {
  const [, size] = /^hugepages-(.+)$/.exec(name) ?? [];
  if (size === undefined) return;
  const [page, wanted] = [nanos(size), nanos(value)];
  if (page <= 0n || wanted <= 0n || wanted % page !== 0n) {
    yield fieldError.invalid(field, value, `${value} is not positive integer multiple of ${name}`);
  }
}

function* requestWithinLimit(field: string, name: string, request: string, limit: string | null | undefined): Problems {
  if (limit == null) {
    if (!mayOvercommit(name)) yield fieldError.required(`${field}.limits`, "Limit must be set for non overcommitable resources");
    return;
  }
  const order = compareQuantities(request, limit);
  if (order !== 0 && !mayOvercommit(name)) {
    yield fieldError.invalid(`${field}.requests`, request, `must be equal to ${name} limit of ${limit}`);
  } else if (order > 0) yield fieldError.invalid(`${field}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`);
}

function* claimNames(field: string, resources: Requirements, known: ReadonlySet<string>): Problems {
  const seen = new Set<string>();
  for (const [i, { name, request }] of (resources?.claims ?? []).entries()) {
    const at = `${field}[${i}]`;
    if (!name) {
      yield fieldError.required(at);
      continue;
    }
    if (request) yield* dnsLabel(`${at}.request`, request);
    const key = request ? `${name}/${request}` : name;
    if (seen.has(name) || seen.has(key)) yield fieldError.duplicate(at, key);
    seen.add(key);
    if (known.has(name)) continue;
    const list = known.size === 0 ? " which is empty" : `: ${[...known].sort().join(", ")}`;
    const error = fieldError.notFound(at, name);
    yield { ...error, detail: `${error.detail}: must be one of the names in pod.spec.resourceClaims${list}` };
  }
}
