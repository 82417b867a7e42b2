import { run } from "pintle";
import { connect } from "./connect.ts";
import { databaseController } from "./database-controller.ts";
import { userController } from "./user-controller.ts";

/** Without DATABASE_URL, the variables of libpq are used: PGHOST, PGPORT, PGUSER, PGPASSWORD. */
const connectionString = process.env["DATABASE_URL"];
const server = connect(connectionString === undefined ? {} : { connectionString });
await run({ controllers: [userController(server), databaseController(server)] });
await server.close();
