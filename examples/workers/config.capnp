# The settings of wrangler.jsonc, for workerd.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    # "private" allows requests to the emulator on this machine.
    (name = "internet", network = (allow = ["public", "private"])),
    # The values of the store. serve.ts gives the path, because only a disk has SQL.
    (name = "values", disk = (writable = true)),
  ],
  sockets = [(name = "http", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "dist/worker.js")],
  compatibilityDate = "2026-04-01",
  durableObjectNamespaces = [(className = "StoredValues", uniqueKey = "identity-service-example", enableSql = true)],
  durableObjectStorage = (localDisk = "values"),
  bindings = [
    (name = "STORE", durableObjectNamespace = "StoredValues"),
    (name = "PUBLIC_URL", fromEnvironment = "PUBLIC_URL"),
    (name = "WORKFLOW_ID", fromEnvironment = "WORKFLOW_ID"),
    (name = "SVC_BASE_URL", fromEnvironment = "SVC_BASE_URL"),
    (name = "SVC_API_KEY", fromEnvironment = "SVC_API_KEY"),
    (name = "SVC_CLIENT_ID", fromEnvironment = "SVC_CLIENT_ID"),
    (name = "SVC_CLIENT_SECRET", fromEnvironment = "SVC_CLIENT_SECRET"),
    (name = "SVC_WEBHOOK_SECRET", fromEnvironment = "SVC_WEBHOOK_SECRET"),
    (name = "SVC_COOKIE_SECRET", fromEnvironment = "SVC_COOKIE_SECRET"),
  ],
);
