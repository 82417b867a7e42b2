/** What the controllers need of a PostgreSQL server; `connect()` returns the real one. Each function can be repeated. */
export interface Server {
  /** Where applications reach the server. */
  readonly address: { readonly host: string; readonly port: number };
  /** Creates a role that can log in, or changes it. Resolves to whether it was created. */
  ensureRole(role: string, options: { readonly password: string; readonly connectionLimit: number }): Promise<boolean>;
  /** Resolves to the databases of a role. */
  listDatabases(role: string): Promise<readonly string[]>;
  /** Drops a role without databases. */
  dropRole(role: string): Promise<void>;
  /** Creates a database. Resolves to whether it was created. */
  ensureDatabase(database: string, owner: string): Promise<boolean>;
  /** Drops a database of this owner, and ends its connections. */
  dropDatabase(database: string, owner: string): Promise<void>;
}
