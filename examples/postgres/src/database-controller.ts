import { controller } from "pintle";
import { hasCondition } from "pintle/client";
import { ConfigMap } from "pintle/kinds/core/v1";
import { checkLength, Database, sqlName, User } from "./resources.ts";
import type { Server } from "./server.ts";

export const databaseController = (server: Server) =>
  controller(Database, {
    owns: [ConfigMap],
    watches: { owners: { kind: User, by: { name: ({ spec }) => spec.owner } } },
    resync: "10m",
    async reconcile({ object: { metadata, spec }, related, event, want }) {
      const database = sqlName(metadata.namespace, metadata.name);
      checkLength(database);
      const [owner] = related.owners;
      if (owner === undefined || !hasCondition("Ready")(owner)) {
        const message = `waiting for the User ${spec.owner}`;
        return want({ conditions: { Ready: { status: false, reason: "OwnerNotReady", message } } });
      }
      const isNew = await server.ensureDatabase(database, sqlName(metadata.namespace, spec.owner));
      if (isNew) event("DatabaseCreated", `created the database ${database}`);
      const configMap = `${metadata.name}-connection`;
      const { host, port } = server.address;
      const data = { PGHOST: host, PGPORT: String(port), PGDATABASE: database };
      return want({
        children: { connection: ConfigMap.desired({ metadata: { name: configMap }, data }) },
        status: { database, configMap },
        conditions: { Ready: { status: true, reason: "DatabaseExists" } },
      });
    },
    async finalize({ object: { metadata, spec }, assertLeading }) {
      if (spec.reclaimPolicy === "Retain") return;
      assertLeading();
      await server.dropDatabase(sqlName(metadata.namespace, metadata.name), sqlName(metadata.namespace, spec.owner));
    },
  });
