# The settings of wrangler.jsonc, for workerd.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    # "private" allows requests to the emulator on this machine.
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "dist/worker.js")],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [(className = "StoredValue", uniqueKey = "identity-service-example")],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "STORE", durableObjectNamespace = "StoredValue"),
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
