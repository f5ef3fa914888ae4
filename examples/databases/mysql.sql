-- Bytes, because a text column treats ids as equal that differ only in case.
CREATE TABLE handled_events (event_id VARBINARY(255) PRIMARY KEY, handled_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE mails (id BIGINT AUTO_INCREMENT PRIMARY KEY, session_id VARBINARY(255) NOT NULL);
