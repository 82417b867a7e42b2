import type { NodeStreams } from "../node/index.ts";

/** The nodes of this process, by name. */
export interface NodeRegistry {
  /** Returns the function that removes the node. */
  register(node: string, streams: NodeStreams): () => void;
  /** Resolves when pending nodes are registered. */
  find(node: string): Promise<NodeStreams | undefined>;
  /** Resolves to all nodes, by name. */
  all(): Promise<ReadonlyMap<string, NodeStreams>>;
}

/** Creates a registry. `startNodes` starts nodes that are deferred until their first use. */
export function createNodeRegistry(startNodes: () => Promise<void> = async () => {}): NodeRegistry {
  const nodes = new Map<string, NodeStreams>();
  return {
    register(node, streams) {
      nodes.set(node, streams);
      return () => {
        if (nodes.get(node) === streams) nodes.delete(node);
      };
    },
    async find(node) {
      if (!nodes.has(node)) await startNodes();
      return nodes.get(node);
    },
    async all() {
      await startNodes();
      return nodes;
    },
  };
}
