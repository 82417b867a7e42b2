import { NotFound } from "pintle/client";
import { quoteGoString } from "pintle/internal/go-format";
import { isJsonEqual } from "pintle/internal/merge";
import { createWorkQueue, type WorkOutcome } from "pintle/internal/queue";
import type { BundleFiles } from "../../bundle/index.ts";
import { type ManagerContext, type RunningController, runController } from "../api/context.ts";
import { describeError, failure, TerminalFailure } from "../api/failures.ts";
import { CONTROLLER_FIELD_MANAGER, EXTENSION_FINALIZERS, GENERATION_ANNOTATION, OWNER_NAME_LABEL } from "../api/names.ts";
import { type ExtensionPolicy, ExtensionPolicyKind, OperatorConditionKind } from "../api/policy-types.ts";
import { writeFinalizers, writeStatus } from "../api/status.ts";
import {
  ClusterCatalogKind,
  type ClusterExtension,
  ClusterExtensionKind,
  type ClusterObjectSet,
  ClusterObjectSetKind,
} from "../api/types.ts";
import { applyWithPolicy } from "../policies/apply-with-policy.ts";
import { readBundleFiles, resolveSource } from "../policies/bundle-source.ts";
import { requireDependencies } from "../policies/dependencies.ts";
import { Hold } from "../policies/hold.ts";
import { writePolicyStatus } from "../policies/policy-status.ts";
import { prepareRemoval } from "../policies/remove-extension.ts";
import { refuseFailedBundle, repeatRollBack, watchHealth } from "../policies/roll-back.ts";
import { selectPolicy } from "../policies/select-policy.ts";
import { adoptHelmRelease } from "./adopt-helm-release.ts";
import { applyRevision } from "./apply-revision.ts";
import { createExtensionStatusDraft, type ExtensionStatusDraft } from "./extension-status.ts";
import { generateObjects } from "./generate-objects.ts";
import { resolveExtension } from "./resolve-extension.ts";
import { type RevisionMetadata, type RevisionStates, readRevisionStates, revisionAnnotations, sortRevisions } from "./revision-states.ts";
import { selectCatalogs } from "./select-catalogs.ts";

/** The controller of extensions, with a method for changes of the content of a catalog. */
export interface ExtensionController extends RunningController {
  /** Reconciles all extensions: any could be installed from any catalog. */
  readonly reconcileAll: () => void;
}

/** The policy of an extension while its bundle is chosen. */
interface FollowedPolicy {
  readonly policy: ExtensionPolicy;
  readonly revisions: readonly ClusterObjectSet[];
  readonly signal: AbortSignal;
}

/** Starts the controller of extensions: it resolves their bundles, and creates revisions. */
export function startExtensionController(context: ManagerContext): ExtensionController {
  const { client, cache, clock, logger } = context;
  const extensions = cache.watch(ClusterExtensionKind);
  const catalogs = cache.watch(ClusterCatalogKind);
  const objectSets = cache.watch(ClusterObjectSetKind);
  const policies = cache.watch(ExtensionPolicyKind);
  const conditions = cache.watch(OperatorConditionKind);
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
  policies.addEventHandler(reconcileAll);
  conditions.addEventHandler(({ old, new: current }) => {
    const owner = (current ?? old)!.metadata.ownerReferences?.find(({ kind }) => kind === "ClusterExtension");
    if (owner !== undefined) work.add(owner.name);
  });

  const sync = async (name: string, signal: AbortSignal): Promise<WorkOutcome> => {
    const extension = extensions.get({ name });
    if (extension === undefined) return { type: "done" };
    const { finalizers = [], deletionTimestamp } = extension.metadata;
    if (deletionTimestamp !== undefined) return remove(extension);
    const wanted = [...finalizers, ...EXTENSION_FINALIZERS.filter((finalizer) => !finalizers.includes(finalizer))];
    if (!isJsonEqual(wanted, [...finalizers])) return setFinalizers(extension, wanted);
    const draft = createExtensionStatusDraft(extension, clock.now());
    return report(extension, draft, () => reconcile(extension, draft, signal), signal);
  };

  const setFinalizers = async (extension: ClusterExtension, finalizers: readonly string[]): Promise<WorkOutcome> => {
    await writeFinalizers(client, ClusterExtensionKind, extension, finalizers, CONTROLLER_FIELD_MANAGER).catch((error: unknown) => {
      if (!(error instanceof NotFound)) throw failure(`error updating finalizers: ${describeError(error)}`, error);
    });
    return { type: "done" };
  };

  /** Removes our finalizers from an extension that is being deleted, once its policy allows it. */
  const remove = async (extension: ClusterExtension): Promise<WorkOutcome> => {
    const { finalizers = [], name } = extension.metadata;
    const others = finalizers.filter((finalizer) => !EXTENSION_FINALIZERS.includes(finalizer));
    if (others.length === finalizers.length) return { type: "done" };
    const draft = createExtensionStatusDraft(extension, clock.now());
    let isReady = true;
    const outcome = await report(extension, draft, async () => {
      const policy = selectPolicy(policies.list(), extension);
      if (policy === undefined) return undefined;
      isReady = false;
      const owned = objectSets.list({ labels: { [OWNER_NAME_LABEL]: name } });
      const prepared = await prepareRemoval(client, policy, extension, owned).catch((error: unknown) => {
        draft.setProgressing(error);
        throw error;
      });
      ({ isReady } = prepared);
      return prepared.requeueAfter;
    });
    return isReady && outcome.type === "done" ? setFinalizers(extension, others) : outcome;
  };

  /** Runs a pass, and writes the status that it has drafted. */
  const report = async (
    extension: ClusterExtension,
    draft: ExtensionStatusDraft,
    pass: () => Promise<number | undefined>,
    signal?: AbortSignal,
  ): Promise<WorkOutcome> => {
    let outcome: WorkOutcome = { type: "done" };
    try {
      const requeueAfter = await pass();
      if (requeueAfter !== undefined) outcome = { type: "requeue", after: requeueAfter };
    } catch (error) {
      signal?.throwIfAborted();
      log.warn(`ClusterExtension ${extension.metadata.name}: ${describeError(error)}`);
      outcome = error instanceof TerminalFailure ? { type: "terminal", error } : { type: "failed", error };
      if (error instanceof Hold && error.retryAfter !== undefined) outcome = { type: "requeue", after: error.retryAfter };
    }
    try {
      await writeStatus(client, ClusterExtensionKind, extension, draft.status, CONTROLLER_FIELD_MANAGER);
    } catch (error) {
      if (!(error instanceof NotFound)) return { type: "failed", error };
    }
    return outcome;
  };

  const reconcile = async (extension: ClusterExtension, draft: ExtensionStatusDraft, signal: AbortSignal): Promise<undefined> => {
    const listRevisions = () => sortRevisions(objectSets.list({ labels: { [OWNER_NAME_LABEL]: extension.metadata.name } }));
    await adoptHelmRelease(context, extension, listRevisions()).catch((error: unknown) => {
      const wrapped = failure(`migrating storage: ${describeError(error)}`, error);
      draft.setProgressing(wrapped);
      draft.setInstalledUnknown(wrapped.message);
      throw wrapped;
    });
    const revisions = listRevisions();
    const states = readRevisionStates(revisions);
    try {
      const policy = selectPolicy(policies.list(), extension);
      if (policy !== undefined) await writePolicyStatus(client, policy, extensions.list(), clock.now());
      const health = await watchHealth(context, policy, extension, revisions, catalogs.list());
      if (health.type === "rollingBack") {
        draft.mirrorRevisions(states);
        draft.setInstalled(states);
        return undefined;
      }
      if (health.requeueAfter !== undefined) work.add(extension.metadata.name, { after: health.requeueAfter });
      await install(extension, revisions, states, draft, signal, policy);
    } catch (error) {
      if (!(error instanceof Hold)) throw error;
      // The installed revision is kept, and the status reports its state.
      draft.mirrorRevisions(states);
      draft.setInstalled(states);
      draft.setProgressing(error);
      throw error;
    }
    return undefined;
  };

  /** Applies the resolved bundle as the newest revision. Resolves with the time of the next check, if there is one. */
  const install = async (
    extension: ClusterExtension,
    revisions: readonly ClusterObjectSet[],
    states: RevisionStates,
    draft: ExtensionStatusDraft,
    signal: AbortSignal,
    policy?: ExtensionPolicy,
  ): Promise<void> => {
    const revision = await resolve(extension, states, draft, policy === undefined ? undefined : { policy, revisions, signal });
    if (policy !== undefined) refuseFailedBundle(extension, revisions.at(-1), revision, catalogs.list());
    const files = await pull(revision, states, draft, signal, policy);
    try {
      if (files === undefined) {
        if (revisions.length === 0) throw failure("catalog content unavailable and no revision installed");
      } else {
        const generated = generateObjects(files, extension, revisionAnnotations(revision), context.gates);
        if (policy === undefined) {
          await applyRevision(context, extension, await repeatRollBack(client, revisions.at(-1), revision, generated), revisions);
        } else {
          const requeueAfter = await applyWithPolicy(context, { policy, extension, revision, generated, revisions, states }, signal);
          if (requeueAfter !== undefined) work.add(extension.metadata.name, { after: requeueAfter });
        }
      }
    } catch (error) {
      if (error instanceof Hold) throw error;
      const wrapped = wrapError(revision, error);
      draft.setProgressing(wrapped);
      // A terminal failure needs no further conditions.
      if (!(error instanceof TerminalFailure)) draft.setInstalled(states);
      throw wrapped;
    }
    draft.mirrorRevisions(states);
    draft.setInstalled(states);
  };

  /**
   * Resolves the bundle of the extension. While a revision rolls out, no other bundle is resolved; with a policy, one is resolved if the extension has
   * changed since the newest revision was created.
   */
  const resolve = async (
    extension: ClusterExtension,
    states: RevisionStates,
    draft: ExtensionStatusDraft,
    followed?: FollowedPolicy,
  ): Promise<RevisionMetadata> => {
    const installedBundle = states.installed?.bundle.name ?? "";
    const isSuperseded = followed !== undefined && isOlderThan(followed.revisions.at(-1), extension);
    const rollingOut = followed === undefined ? states.rollingOut[0] : states.rollingOut.at(-1);
    if (rollingOut !== undefined && !isSuperseded) {
      draft.setDeprecation(installedBundle, undefined, false);
      return rollingOut;
    }
    try {
      if (followed?.policy.spec.source !== undefined) {
        draft.setDeprecation(installedBundle, undefined, false);
        return await resolveSource(context, followed.policy, extension, followed.signal);
      }
      const accepts = followed !== undefined && followed.policy.spec.dependencies !== "Refuse";
      const resolved = await resolveExtension(context, catalogs.list(), extension, states.installed?.bundle, accepts);
      draft.setDeprecation(installedBundle, resolved.deprecations, true);
      if (accepts) await requireDependencies(context, followed.policy, extension, resolved.properties, extensions.list());
      return resolved.revision;
    } catch (error) {
      if (error instanceof Hold) throw error;
      draft.setDeprecation(installedBundle, undefined, false);
      return handleResolutionError(extension, states, draft, error);
    }
  };

  /** Without any catalog, an installed bundle is kept and reconciled. Other failures are retried. */
  const handleResolutionError = (
    { spec }: ClusterExtension,
    states: RevisionStates,
    draft: ExtensionStatusDraft,
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

  /** Reads the files of the bundle; undefined if they cannot be read and the bundle is already installed. */
  const pull = async (
    revision: RevisionMetadata,
    states: RevisionStates,
    draft: ExtensionStatusDraft,
    signal: AbortSignal,
    policy?: ExtensionPolicy,
  ): Promise<BundleFiles | undefined> => {
    try {
      if (policy !== undefined) return await readBundleFiles(context, policy, revision.image, signal);
      return await context.images.pullBundle(revision.image, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Hold) throw error;
      const { installed } = states;
      const isInstalled = revision.bundle.name === installed?.bundle.name && revision.bundle.version === installed.bundle.version;
      if (isInstalled) return undefined;
      const wrapped = wrapError(revision, error);
      draft.setProgressing(wrapped);
      draft.setInstalled(states);
      throw wrapped;
    }
  };

  const running = runController(work, [extensions, catalogs, objectSets, policies, conditions]);
  return { ...running, reconcileAll };
}

/** Whether the extension has changed since a revision was created. Revisions of OLM v1 do not record the generation. */
function isOlderThan(revision: ClusterObjectSet | undefined, { metadata }: ClusterExtension): boolean {
  const generation = revision?.metadata.annotations?.[GENERATION_ANNOTATION];
  return generation !== undefined && Number(generation) < (metadata.generation ?? 0);
}

/** Names the bundle in an error. */
function wrapError({ bundle }: RevisionMetadata, error: unknown): Error {
  const message = `error for resolved bundle ${quoteGoString(bundle.name)} with version ${quoteGoString(bundle.version)}: ${describeError(error)}`;
  return error instanceof TerminalFailure ? new TerminalFailure(message, error.reason) : failure(message, error);
}
