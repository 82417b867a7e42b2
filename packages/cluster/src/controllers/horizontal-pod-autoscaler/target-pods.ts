import type { CachedView } from "pintle/internal/cache";
import { LabelSelectorSyntaxError, matchesRequirements, parseLabelSelector } from "pintle/internal/selectors";
import type { Pod } from "pintle/kinds/core/v1";
import { splitObjectKey } from "../shared/object-key.ts";

/** The pods of a target cannot be determined. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Selects the pods of the targets of all autoscalers. It keeps their selectors, to find pods that two autoscalers control. */
export function createTargetPods(pods: CachedView<Pod>) {
  const selectors = new Map<string, string>();
  return {
    /** Returns the pods of the target of an autoscaler. Throws `SelectorError` if another autoscaler controls them too. */
    select(key: string, namespace: string, selector: string): readonly Pod[] {
      if (selector === "") throw new SelectorError("SelectorRequired", "selector is required");
      const requirements = parseSelector(selector);
      selectors.set(key, selector);
      const selected = pods.list({ namespace }).filter(({ metadata }) => matchesRequirements(requirements, metadata.labels));
      const controlling = [...selectors].filter(
        ([other, text]) =>
          splitObjectKey(other).namespace === namespace &&
          selected.some(({ metadata }) => matchesRequirements(parseSelector(text), metadata.labels)),
      );
      if (controlling.length > 1) {
        const keys = controlling.map(([other]) => other).sort();
        throw new SelectorError("AmbiguousSelector", `pods by selector ${selector} are controlled by multiple HPAs: [${keys.join(" ")}]`);
      }
      return selected;
    },

    /** Removes the selector of a deleted autoscaler. */
    forget(key: string): void {
      selectors.delete(key);
    },
  };
}

function parseSelector(selector: string) {
  try {
    return parseLabelSelector(selector);
  } catch (error) {
    if (!(error instanceof LabelSelectorSyntaxError)) throw error;
    const message = `couldn't convert selector into a corresponding internal selector object: ${error.message}`;
    throw new SelectorError("InvalidSelector", message);
  }
}
