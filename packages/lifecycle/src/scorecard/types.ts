/** The outcome of a test. `error`: the test itself failed. */
export type ScorecardState = "pass" | "fail" | "error";

/** One result of a test. */
export interface ScorecardResult {
  readonly name?: string;
  readonly log?: string;
  readonly state: ScorecardState;
  readonly errors?: readonly string[];
  readonly suggestions?: readonly string[];
  readonly creationTimestamp?: string | null;
}

/** A test as it is configured. */
export interface ScorecardTestConfig {
  /** The image of the test. */
  readonly image: string;
  readonly uniqueID?: string;
  /** The command in the image. */
  readonly entrypoint?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly storage: { readonly spec: { readonly mountPath: { readonly path?: string } } };
}

/** A test with its results. */
export interface ScorecardTest {
  readonly kind: "Test";
  readonly apiVersion: "scorecard.operatorframework.io/v1alpha3";
  readonly spec: ScorecardTestConfig;
  readonly status: { readonly results?: readonly ScorecardResult[] };
}

/** All tests of a run. */
export interface ScorecardTestList {
  readonly kind: "TestList";
  readonly apiVersion: "scorecard.operatorframework.io/v1alpha3";
  readonly items: readonly ScorecardTest[];
}
