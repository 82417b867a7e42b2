import { randomBytes } from "node:crypto";
import { controller, encodeSecretData } from "pintle";
import { Secret } from "pintle/kinds/core/v1";
import { checkLength, Database, sqlName, User } from "./resources.ts";
import type { Server } from "./server.ts";

export const userController = (server: Server) =>
  controller(User, {
    owns: [Secret],
    watches: { databases: { kind: Database, by: ({ spec }) => [{ name: spec.owner }] } },
    resync: "10m",
    async reconcile({ object: { metadata, spec }, owned, event, want }) {
      const role = sqlName(metadata.namespace, metadata.name);
      checkLength(role);
      const secret = `${metadata.name}-credentials`;
      const password = randomBytes(24).toString("base64url");
      const data = encodeSecretData({ PGUSER: role, PGPASSWORD: password });
      const children = { credentials: Secret.desired({ metadata: { name: secret }, data }, { create: "once" }) };
      // The password of the role is the stored one, not the one of this pass.
      const stored = owned(Secret).get(secret)?.data?.["PGPASSWORD"];
      if (stored === undefined) return want({ children });
      const isNew = await server.ensureRole(role, { ...spec, password: Buffer.from(stored, "base64").toString() });
      if (isNew) event("RoleCreated", `created the role ${role}`);
      return want({ children, status: { role, secret }, conditions: { Ready: { status: true, reason: "RoleExists" } } });
    },
    async finalize({ object: { metadata }, assertLeading }) {
      const role = sqlName(metadata.namespace, metadata.name);
      const databases = await server.listDatabases(role);
      if (databases.length > 0) {
        const message = `waiting until these databases of ${role} are dropped: ${databases.join(", ")}`;
        return { requeueAfter: "30s", conditions: { Ready: { status: false, reason: "OwnsDatabases", message } } };
      }
      assertLeading();
      await server.dropRole(role);
      return undefined;
    },
  });
