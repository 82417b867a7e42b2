/** What is known about how an image was built. */
export interface ProvenanceInput {
  /** The command, with its options. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly builderId: string;
  readonly builderVersion: string;
  /** Where the source code is, and its commit; undefined outside of a repository. */
  readonly source?: { readonly uri: string; readonly commit: string; readonly isDirty: boolean } | undefined;
  /** Images and packages that the image consists of. */
  readonly materials: readonly { readonly uri: string; readonly digest?: Readonly<Record<string, string>> }[];
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** Identifies the run, such as a URL of the CI. */
  readonly invocationId?: string | undefined;
}

const BUILD_TYPE = "https://pintle.dev/build/v1";

/** Creates the predicate of SLSA provenance, version 1. */
export function createProvenance(input: ProvenanceInput): Readonly<Record<string, unknown>> {
  const { parameters, builderId, builderVersion, source, materials, startedAt, finishedAt, invocationId } = input;
  const git = source === undefined ? [] : [{ uri: source.uri, digest: { gitCommit: source.commit } }];
  return {
    buildDefinition: {
      buildType: BUILD_TYPE,
      externalParameters: { ...parameters, ...(source === undefined ? {} : { source: source.uri }) },
      internalParameters: source?.isDirty ? { uncommittedChanges: true } : {},
      resolvedDependencies: [...git, ...materials],
    },
    runDetails: {
      builder: { id: builderId, version: { pintle: builderVersion } },
      metadata: {
        ...(invocationId === undefined ? {} : { invocationId }),
        startedOn: startedAt.toISOString(),
        finishedOn: finishedAt.toISOString(),
      },
    },
  };
}
