import type {
  ActionSubresource,
  ConnectSubresource,
  Conversion,
  DeletionStrategy,
  NameValidator,
  ResourceStorage,
  ResourceStrategy,
  ServedResource,
  StrategyContext,
  TablePrinter,
} from "../../api/index.ts";
import type { Draft, Unvalidated } from "../draft.ts";
import type { FieldErrors } from "../validation/validators.ts";

/** The strategy of updates through one subresource. */
export interface SubresourceStrategy<T> {
  /** Resets the fields that the subresource must not change, and sets those that the API server owns. */
  readonly prepareForUpdate?: ((draft: Draft<T>, live: Unvalidated<T>, context: StrategyContext) => void) | undefined;
  readonly validate?: ((object: Unvalidated<T>, live: Unvalidated<T>, context: StrategyContext) => FieldErrors) | undefined;
  readonly resetFields?: readonly (readonly string[])[] | undefined;
}

/**
 * The strategy of a kind. Everything else about a kind is in tables: its Go struct, its OpenAPI definition, its
 * defaults by type, and the attributes in `kind-attributes.ts`.
 */
export interface KindStrategy<T> {
  readonly validateName?: NameValidator | undefined;
  prepareForCreate?(draft: Draft<T>, context: StrategyContext): void;
  prepareForUpdate?(draft: Draft<T>, live: Unvalidated<T>, context: StrategyContext): void;
  /** Validates the content on create, and on update unless `validateUpdate` is given. */
  validate?(object: Unvalidated<T>): FieldErrors;
  /** Validates an update, instead of `validate`. */
  validateUpdate?(object: Unvalidated<T>, live: Unvalidated<T>): FieldErrors;
  warnings?(object: Unvalidated<T>, live: Unvalidated<T> | undefined): readonly string[];
  /** Overrides `getGenerationMode`. */
  readonly generation?: ResourceStrategy["generation"] | undefined;
  readonly status?: SubresourceStrategy<T> | undefined;
  readonly allowStatusOnCreate?: boolean | undefined;
  /** Update strategies of subresources by name: finalize, approval, ephemeralcontainers, ... */
  readonly subresources?: Readonly<Record<string, SubresourceStrategy<T>>> | undefined;
  /** Create-only subresources by name: binding, eviction, ... */
  readonly actions?: Readonly<Record<string, SubresourceAction>> | undefined;
  /** Other apiVersions that the body of an action may name. */
  readonly olderActionVersions?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Names of streaming subresources: log, exec, proxy, ... */
  readonly connectSubresources?: readonly string[] | undefined;
  /** Handlers of streaming subresources by name, provided by other folders. */
  readonly connectHandlers?: Readonly<Record<string, Pick<ConnectSubresource, "connect" | "parseObjectName">>> | undefined;
  /** Handles a POST of a virtual kind such as a TokenReview; the result is the response. */
  readonly evaluateReview?: ServedResource["evaluateReview"];
  /** Lists the objects of a virtual kind, which are never stored. */
  readonly computeObjects?: ServedResource["computeObjects"];
  readonly deletion?: DeletionStrategy | undefined;
  readonly selectableFields?: Readonly<Record<string, (object: Unvalidated<T>) => string>> | undefined;
  readonly tablePrinter?: TablePrinter | undefined;
  /** Conversion between this version and the storage version. */
  readonly conversion?: Conversion | undefined;
  readonly convertToVersion?: ResourceStorage["convertToVersion"];
  /** Fields that a write to the main resource ignores. Default: status. */
  readonly resetFields?: readonly (readonly string[])[] | undefined;
}

/** Handles a POST to a subresource; the result is the response body. */
export type SubresourceAction = ActionSubresource["execute"];

/** Strategies by kind, or by "group/version/kind" if the kind is ambiguous. */
export type StrategyTable = Readonly<Record<string, KindStrategy<any>>>;

/** Defines the strategy of a kind with typed objects. */
export function defineStrategy<T>(strategy: KindStrategy<T>): KindStrategy<any> {
  return strategy;
}
