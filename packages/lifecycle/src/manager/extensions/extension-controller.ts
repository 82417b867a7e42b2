import { NotFound } from "pintle/client";
import { quoteGoString } from "pintle/internal/go-format";
import { isJsonEqual } from "pintle/internal/merge";
import { createWorkQueue, type WorkOutcome } from "pintle/internal/queue";
import type { BundleFiles } from "../../bundle/index.ts";
import { type ManagerContext, type RunningController, runController } from "../api/context.ts";
import { describeError, failure, TerminalFailure } from "../api/failures.ts";
import { CONTROLLER_FIELD_MANAGER, EXTENSION_FINALIZERS, OWNER_NAME_LABEL } from "../api/names.ts";
import { writeFinalizers, writeStatus } from "../api/status.ts";
import { ClusterCatalogKind, type ClusterExtension, ClusterExtensionKind, ClusterObjectSetKind } from "../api/types.ts";
import { applyRevision } from "./apply-revision.ts";
import { createStatusDraft, type StatusDraft } from "./extension-status.ts";
import { generateObjects } from "./generate-objects.ts";
import { resolveExtension } from "./resolve-extension.ts";
import { type RevisionMetadata, type RevisionStates, readRevisionStates, revisionAnnotations, sortRevisions } from "./revision-states.ts";
import { selectCatalogs } from "./select-catalogs.ts";

/** The controller of extensions, with a method for changes of the content of a catalog. */
export interface ExtensionController extends RunningController {
  /** Reconciles all extensions: any could be installed from any catalog. */
  readonly reconcileAll: () => void;
}

/** Starts the controller of extensions: it resolves their bundles, and makes revisions of them. */
export function startExtensionController(context: ManagerContext): ExtensionController {
  const { client, cache, clock, logger } = context;
  const extensions = cache.watch(ClusterExtensionKind);
  const catalogs = cache.watch(ClusterCatalogKind);
  const objectSets = cache.watch(ClusterObjectSetKind);
  const log = logger.with({ controller: "clusterextension" });
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }, signal) => sync(key, signal) });
  const reconcileAll = () => {
    if (extensions.isSynced) for (const { metadata } of extensions.list()) work.add(metadata.name);
  };
  extensions.addEventHandler(({ old, new: current }) => work.add((current ?? old)!.metadata.name));
  objectSets.addEventHandler(({ old, new: current }) => {
    const owner = (current ?? old)!.metadata.ownerReferences?.find(({ kind, controller }) => kind === "ClusterExtension" && controller);
    if (owner !== undefined) work.add(owner.name);
  });
  catalogs.addEventHandler(reconcileAll);

  const sync = async (name: string, signal: AbortSignal): Promise<WorkOutcome> => {
    const extension = extensions.get({ name });
    if (extension === undefined) return { type: "done" };
    const { finalizers = [], deletionTimestamp } = extension.metadata;
    const wanted =
      deletionTimestamp === undefined
        ? [...finalizers, ...EXTENSION_FINALIZERS.filter((finalizer) => !finalizers.includes(finalizer))]
        : finalizers.filter((finalizer) => !EXTENSION_FINALIZERS.includes(finalizer));
    if (!isJsonEqual(wanted, [...finalizers])) {
      await writeFinalizers(client, ClusterExtensionKind, extension, wanted, CONTROLLER_FIELD_MANAGER).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw failure(`error updating finalizers: ${describeError(error)}`, error);
      });
      return { type: "done" };
    }
    if (deletionTimestamp !== undefined) return { type: "done" };
    const draft = createStatusDraft(extension, clock.now());
    let outcome: WorkOutcome = { type: "done" };
    try {
      await reconcile(extension, draft, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.warn(`ClusterExtension ${name}: ${describeError(error)}`);
      outcome = error instanceof TerminalFailure ? { type: "terminal", error } : { type: "failed", error };
    }
    try {
      await writeStatus(client, ClusterExtensionKind, extension, draft.status, CONTROLLER_FIELD_MANAGER);
    } catch (error) {
      if (!(error instanceof NotFound)) return { type: "failed", error };
    }
    return outcome;
  };

  const reconcile = async (extension: ClusterExtension, draft: StatusDraft, signal: AbortSignal): Promise<void> => {
    const revisions = sortRevisions(objectSets.list({ labels: { [OWNER_NAME_LABEL]: extension.metadata.name } }));
    const states = readRevisionStates(revisions);
    const revision = await resolve(extension, states, draft);
    const files = await pull(revision, states, draft, signal);
    try {
      if (files === undefined) {
        if (revisions.length === 0) throw failure("catalog content unavailable and no revision installed");
      } else {
        await applyRevision(context, extension, generateObjects(files, extension, revisionAnnotations(revision), context.gates), revisions);
      }
    } catch (error) {
      const wrapped = wrapError(revision, error);
      draft.setProgressing(wrapped);
      // A terminal failure says everything already.
      if (!(error instanceof TerminalFailure)) draft.setInstalled(states);
      throw wrapped;
    }
    draft.mirrorRevisions(states);
    draft.setInstalled(states);
  };

  /** The bundle that the extension is to have. While a revision rolls out, nothing else is chosen. */
  const resolve = async (extension: ClusterExtension, states: RevisionStates, draft: StatusDraft): Promise<RevisionMetadata> => {
    const installedBundle = states.installed?.bundle.name ?? "";
    const [rollingOut] = states.rollingOut;
    if (rollingOut !== undefined) {
      draft.setDeprecation(installedBundle, undefined, false);
      return rollingOut;
    }
    try {
      const { revision, deprecations } = await resolveExtension(context, catalogs.list(), extension, states.installed?.bundle);
      draft.setDeprecation(installedBundle, deprecations, true);
      return revision;
    } catch (error) {
      draft.setDeprecation(installedBundle, undefined, false);
      return handleResolutionError(extension, states, draft, error);
    }
  };

  /** Without any catalog an installed bundle is kept, and repaired. Everything else is retried. */
  const handleResolutionError = (
    { spec }: ClusterExtension,
    states: RevisionStates,
    draft: StatusDraft,
    error: unknown,
  ): RevisionMetadata => {
    const { installed } = states;
    const version = spec.source.catalog?.version ?? "";
    const hasCatalogs = selectCatalogs(catalogs.list(), spec.source.catalog?.selector).length > 0;
    const wantsOther = installed !== undefined && version !== "" && version !== installed.bundle.version;
    if (installed !== undefined && !wantsOther && !hasCatalogs) {
      draft.setInstalled(states);
      return installed;
    }
    const why = describeError(error);
    draft.setProgressing(error);
    draft.setInstalled(states);
    if (installed === undefined) draft.fillWithFailure(`failed to resolve bundle: ${why}`);
    else if (wantsOther) {
      draft.fillWithFailure(`unable to upgrade to version ${version}: ${why} (currently installed: ${installed.bundle.version})`);
    } else draft.fillWithFailure(`failed to resolve bundle, retrying: ${why}`);
    throw error;
  };

  /** The files of the bundle; undefined if they cannot be read and the bundle is installed already. */
  const pull = async (
    revision: RevisionMetadata,
    states: RevisionStates,
    draft: StatusDraft,
    signal: AbortSignal,
  ): Promise<BundleFiles | undefined> => {
    try {
      return await context.images.pullBundle(revision.image, signal);
    } catch (error) {
      signal.throwIfAborted();
      const { installed } = states;
      const isInstalled = revision.bundle.name === installed?.bundle.name && revision.bundle.version === installed.bundle.version;
      if (isInstalled) return undefined;
      const wrapped = wrapError(revision, error);
      draft.setProgressing(wrapped);
      draft.setInstalled(states);
      throw wrapped;
    }
  };

  const running = runController(work, [extensions, catalogs, objectSets]);
  return { ...running, reconcileAll };
}

/** Names the bundle in an error. */
function wrapError({ bundle }: RevisionMetadata, error: unknown): Error {
  const message = `error for resolved bundle ${quoteGoString(bundle.name)} with version ${quoteGoString(bundle.version)}: ${describeError(error)}`;
  return error instanceof TerminalFailure ? new TerminalFailure(message, error.reason) : failure(message, error);
}
