import type { CatalogDeprecations, DeprecationEntry } from "../../fbc/index.ts";
import { findCondition, setCondition } from "../api/conditions.ts";
import { describeStableError, TerminalFailure } from "../api/failures.ts";
import type { ClusterExtension, ClusterExtensionStatus, Condition } from "../api/types.ts";
import type { RevisionStates } from "./revision-states.ts";

/** The status of an extension while it is reconciled. Every change replaces `status`. */
export interface ExtensionStatusDraft {
  status: ClusterExtensionStatus;
  /** Sets `Progressing`: an error is retried, unless it is terminal. */
  readonly setProgressing: (error?: unknown) => void;
  readonly setInstalledUnknown: (message: string) => void;
  /** Sets `Installed` and `status.install`. */
  readonly setInstalled: (states: RevisionStates) => void;
  /** Sets `Installed` and `Progressing` where they are missing. */
  readonly fillWithFailure: (message: string) => void;
  readonly setDeprecation: (installedBundle: string, deprecations: CatalogDeprecations | undefined, hasCatalogData: boolean) => void;
  /** Copies conditions of the revisions. */
  readonly mirrorRevisions: (states: RevisionStates) => void;
}

const FAILURE_TYPES = ["Installed", "Progressing"];
const MIRRORED_TYPES = ["Available", "Progressing"];
const UNKNOWN_DEPRECATION = "deprecation status unknown: catalog data unavailable";

/** Creates a draft from the stored status. */
export function createExtensionStatusDraft(extension: ClusterExtension, now: number): ExtensionStatusDraft {
  const { generation = 0 } = extension.metadata;
  const set = (type: string, status: Condition["status"], reason: string, message: string) => {
    const condition = { type, status, reason, message, observedGeneration: generation };
    draft.status = { ...draft.status, conditions: setCondition(draft.status.conditions ?? [], condition, now) };
  };
  const setInstall = (bundle: NonNullable<ClusterExtensionStatus["install"]>["bundle"] | undefined) => {
    const { install: _, ...rest } = draft.status;
    draft.status = bundle === undefined ? rest : { ...rest, install: { bundle } };
  };
  /** Mirrored conditions keep their time: it is when the revision changed. */
  const mirror = (conditions: readonly Condition[], source: Condition): readonly Condition[] => {
    const copy = { ...source, observedGeneration: generation };
    const before = conditions.find(({ type }) => type === source.type);
    if (before === undefined) return [...conditions, copy];
    const next = before.status === copy.status ? { ...copy, lastTransitionTime: before.lastTransitionTime } : copy;
    return conditions.map((each) => (each === before ? next : each));
  };
  const draft: ExtensionStatusDraft = {
    status: extension.status ?? {},
    setProgressing(error) {
      if (error === undefined) return set("Progressing", "True", "Succeeded", "Desired state reached");
      if (error instanceof TerminalFailure) return set("Progressing", "False", error.reason, describeStableError(error));
      set("Progressing", "True", "Retrying", describeStableError(error));
    },
    setInstalledUnknown: (message) => set("Installed", "Unknown", "Failed", message),
    setInstalled({ installed, rollingOut }) {
      setInstall(installed?.bundle);
      if (installed !== undefined) set("Installed", "True", "Succeeded", `Installed bundle ${installed.image} successfully`);
      else set("Installed", "False", findFailureReason(rollingOut), "No bundle installed");
    },
    fillWithFailure(message) {
      for (const type of FAILURE_TYPES) {
        if (findCondition(draft.status.conditions, type) === undefined) set(type, "False", "Retrying", message);
      }
    },
    setDeprecation(installedBundle, deprecations, hasCatalogData) {
      if (!hasCatalogData) {
        for (const type of ["Deprecated", "PackageDeprecated", "ChannelDeprecated"]) {
          set(type, "Unknown", "DeprecationStatusUnknown", UNKNOWN_DEPRECATION);
        }
        if (installedBundle === "") set("BundleDeprecated", "Unknown", "Absent", "no bundle installed yet");
        else set("BundleDeprecated", "Unknown", "DeprecationStatusUnknown", UNKNOWN_DEPRECATION);
        return;
      }
      const { packages, channels, bundles } = selectDeprecations(extension, installedBundle, deprecations);
      const setOne = (type: string, messages: readonly string[], otherwise: string) => {
        if (messages.length > 0) set(type, "True", "Deprecated", messages.join("\n"));
        else set(type, "False", "NotDeprecated", otherwise);
      };
      setOne("Deprecated", [...packages, ...channels, ...bundles], "not deprecated");
      setOne("PackageDeprecated", packages, "package not deprecated");
      setOne("ChannelDeprecated", channels, "channel not deprecated");
      if (installedBundle === "") set("BundleDeprecated", "Unknown", "Absent", "no bundle installed yet");
      else setOne("BundleDeprecated", bundles, "bundle not deprecated");
    },
    mirrorRevisions({ installed, rollingOut }) {
      const active: NonNullable<ClusterExtensionStatus["activeRevisions"]>[number][] = [];
      let conditions = draft.status.conditions ?? [];
      const select = (of: readonly Condition[]) => MIRRORED_TYPES.flatMap((type) => findCondition(of, type) ?? []);
      if (installed !== undefined) {
        for (const condition of select(installed.conditions)) conditions = mirror(conditions, condition);
        active.push({ name: installed.revisionName ?? "" });
      }
      const known = new Map(extension.status?.activeRevisions?.map(({ name, conditions: of = [] }) => [name, of]));
      rollingOut.forEach(({ revisionName = "", conditions: of }, i) => {
        const own = select(of).reduce((kept, condition) => mirror(kept, condition), known.get(revisionName) ?? []);
        active.push(own.length === 0 ? { name: revisionName } : { name: revisionName, conditions: own });
        const progressing = findCondition(of, "Progressing");
        if (i === rollingOut.length - 1 && progressing !== undefined) conditions = mirror(conditions, progressing);
      });
      draft.status = { ...draft.status, conditions, activeRevisions: active };
    },
  };
  return draft;
}

/** Nothing is installed yet while the newest revision rolls out; otherwise the installation has failed. */
function findFailureReason(rollingOut: RevisionStates["rollingOut"]): "Failed" | "Absent" {
  const latest = rollingOut.at(-1);
  if (latest === undefined) return "Failed";
  return findCondition(latest.conditions, "Progressing")?.reason === "Retrying" ? "Failed" : "Absent";
}

/** The messages of the deprecations that concern an extension. */
function selectDeprecations(extension: ClusterExtension, installedBundle: string, deprecations: CatalogDeprecations | undefined) {
  const channels = extension.spec.source.catalog?.channels ?? [];
  const entries = deprecations?.entries ?? [];
  const select = (isSelected: (reference: DeprecationEntry["reference"]) => boolean) =>
    entries.flatMap(({ reference, message }) => (isSelected(reference) && message !== "" ? [message] : []));
  return {
    packages: select(({ schema }) => schema === "olm.package"),
    channels: select(({ schema, name = "" }) => schema === "olm.channel" && (channels.length === 0 || channels.includes(name))),
    bundles: select(({ schema, name }) => schema === "olm.bundle" && installedBundle !== "" && name === installedBundle),
  };
}
