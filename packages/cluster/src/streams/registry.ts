import type { NodeStreams } from "../node/index.ts";

/** The nodes that this process can talk to directly, by name. */
export interface NodeRegistry {
  /** The function returned takes it back. */
  register(node: string, streams: NodeStreams): () => void;
  of(node: string): NodeStreams | undefined;
  all(): ReadonlyMap<string, NodeStreams>;
}

export function nodeRegistry(): NodeRegistry {
  const nodes = new Map<string, NodeStreams>();
  return {
    register(node, streams) {
      nodes.set(node, streams);
      return () => {
        if (nodes.get(node) === streams) nodes.delete(node);
      };
    },
    of: (node) => nodes.get(node),
    all: () => nodes,
  };
}
