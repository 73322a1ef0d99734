-- outbox: secrets of callbacks are encrypted when a key is configured

alter table callback add column key_id text;
comment on column callback.secret is 'the Base64 of the encrypted secret, or the secret itself when key_id is null';
comment on column callback.key_id is 'the key that secret is encrypted with; null: it is not encrypted, because no key was configured yet';
