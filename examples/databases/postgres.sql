CREATE TABLE handled_events (event_id text PRIMARY KEY, handled_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE mails (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session_id text NOT NULL);
