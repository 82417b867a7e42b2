import type { NodeStreams } from "../node/index.ts";

/** The nodes that this process can talk to directly, by name. */
export interface NodeRegistry {
  /** The function returned takes it back. */
  register(node: string, streams: NodeStreams): () => void;
  /** Resolves when those that are to come are there. */
  find(node: string): Promise<NodeStreams | undefined>;
  all(): Promise<ReadonlyMap<string, NodeStreams>>;
}

/** `awaken` starts what registers nodes, where that waits until it is needed. */
export function nodeRegistry(awaken: () => Promise<void> = async () => {}): NodeRegistry {
  const nodes = new Map<string, NodeStreams>();
  return {
    register(node, streams) {
      nodes.set(node, streams);
      return () => {
        if (nodes.get(node) === streams) nodes.delete(node);
      };
    },
    async find(node) {
      if (!nodes.has(node)) await awaken();
      return nodes.get(node);
    },
    async all() {
      await awaken();
      return nodes;
    },
  };
}
