import type {
  ActionSubresource,
  ConnectSubresource,
  Conversion,
  DeletionRules,
  NameRule,
  ServedResource,
  Storage,
  Strategy,
  StrategyContext,
  TablePrinter,
} from "../api/index.ts";
import type { Draft, Loose } from "./draft.ts";
import type { Problems } from "./validate/problems.ts";

/** How an update through one endpoint is treated. */
export interface UpdateRules<T> {
  /** Undoes what this endpoint may not change, and sets what the server alone decides. */
  readonly prepare?: ((draft: Draft<T>, live: Loose<T>, context: StrategyContext) => void) | undefined;
  readonly validate?: ((object: Loose<T>, live: Loose<T>, context: StrategyContext) => Problems) | undefined;
  readonly resetFields?: readonly (readonly string[])[] | undefined;
}

/**
 * What is special about a kind. Everything else about it is in tables: its Go struct, its OpenAPI definition, its
 * defaults by type, and the facts of `facts.ts`.
 */
export interface KindRules<T> {
  readonly name?: NameRule | undefined;
  prepareCreate?(draft: Draft<T>, context: StrategyContext): void;
  prepareUpdate?(draft: Draft<T>, live: Loose<T>, context: StrategyContext): void;
  /** Content, on create and, unless that has its own rules, on update. */
  validate?(object: Loose<T>): Problems;
  /** Instead of `validate`, for an update. */
  validateUpdate?(object: Loose<T>, live: Loose<T>): Problems;
  warnings?(object: Loose<T>, live: Loose<T> | undefined): readonly string[];
  /** Overrides the table of facts. */
  readonly generation?: Strategy["generation"] | undefined;
  readonly status?: UpdateRules<T> | undefined;
  readonly statusOnCreate?: boolean | undefined;
  /** finalize, approval, ephemeralcontainers, ... */
  readonly parts?: Readonly<Record<string, UpdateRules<T>>> | undefined;
  /** binding, eviction, ...: subresources that are verbs of their own, by name. */
  readonly actions?: Readonly<Record<string, Action>> | undefined;
  /** log, exec, proxy, ...: the names of streams to what runs it. */
  readonly connections?: readonly string[] | undefined;
  /** Where they lead, by name: other parts of the server see to that. */
  readonly streams?: Readonly<Record<string, Pick<ConnectSubresource, "connect" | "nameOf">>> | undefined;
  /** Kinds that are questions: what they are answered with. */
  readonly ask?: ServedResource["ask"];
  /** Kinds that are never stored: where their objects come from. */
  readonly look?: ServedResource["look"];
  readonly deletion?: DeletionRules | undefined;
  readonly selectableFields?: Readonly<Record<string, (object: Loose<T>) => string>> | undefined;
  readonly table?: TablePrinter | undefined;
  /** Where another kind's objects are stored in another form. */
  readonly conversion?: Conversion | undefined;
  readonly inVersion?: Storage["inVersion"];
  /** Fields that a write to the object itself ignores. Default: status. */
  readonly resetFields?: readonly (readonly string[])[] | undefined;
}

/** What a POST to a subresource does; the answer is its body. */
export type Action = ActionSubresource["act"];

/** By kind; where that is not enough, by "group/version/kind". */
export type RuleTable = Readonly<Record<string, KindRules<any>>>;

/** Types the rules of a kind by its object. */
export function rules<T>(of: KindRules<T>): KindRules<any> {
  return of;
}
