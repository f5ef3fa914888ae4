// Generated from the docstrings in src/contract: `npx vitest run test/openapi/descriptions.test.ts --update`.

/** What the interfaces of the contract say about themselves and about their fields. */
export const descriptions = {
  Subscription: {
    description: "The organization's plan (contract, section 2.10).",
    fields: {
      plan: { description: 'The plan. The contract does not list its values.' },
      status: { description: 'The status of the plan. The contract does not list its values.' },
      price_per_seat: { description: "The price of one seat, in the summary's `currency`." },
      in_trial: { description: 'True during the trial.' },
      trial_ends_at: {
        description: 'When the trial ends, if there is one. The contract does not give the timestamp format.',
      },
      current_period_end: {
        description:
          'When the current period ends, if there is one. The contract does not give the timestamp format.',
      },
    },
  },
  Invoice: {
    description: 'The invoice of one month (contract, section 2.10).',
    fields: {
      period: { description: 'The month, `YYYY-MM`.' },
      seats: { description: 'The number of seats that were charged.' },
      amount: { description: "The amount, in the summary's `currency`." },
      created_at: {
        description: 'When the invoice was created. The contract does not give the timestamp format.',
      },
    },
  },
  BillingSummary: {
    description: 'The billing of an organization (contract, section 2.10). Numbers are not rounded.',
    fields: {
      subscription: { description: 'The plan. `null` before a plan exists.', of: 'Subscription' },
      seats: { description: 'The number of active members.' },
      estimated_next_charge: { description: 'The next charge: seats times the price of one seat.' },
      currency: { description: 'The currency of all amounts.' },
      balance: { description: 'The balance. The contract does not define it further.' },
      invoices: { description: 'The invoices, one per month.', of: 'Invoice' },
    },
  },
  Member: {
    description: 'A member of an organization (contract, section 2.9).',
    fields: {
      id: { description: 'The number of the row. The stable id is `member_id`.' },
      member_id: {
        description:
          'The stable public id: `vmem_` plus 24 hex digits. Equal to the `svc_org_member_id` claim of a login.',
      },
      first_name: { description: 'First name. Missing or `null` if it was not given.' },
      last_name: { description: 'Last name. Missing or `null` if it was not given.' },
      email: { description: 'The email address, to which invites are sent.' },
      role: { description: 'The role. The contract does not say what each role may do.', of: 'MemberRole' },
      status: { description: 'The status of the membership.', of: 'MemberStatus' },
      svc_id: {
        description: "The id of the person's identity. `null` until the member connects it by face.",
      },
      active: { description: 'True if `status` is `active`.' },
      created_at: { description: 'When the member was created, ISO 8601 with an offset.' },
    },
  },
  AddedMember: {
    description: 'A member as returned by `add`.',
    extends: 'Member',
    fields: {
      activation_link: {
        description:
          'The activation link of a face invite with `notify: false`, otherwise `null`. Anyone who has the link can activate the member.',
      },
      invite_method: {
        description: 'How the member was invited.',
        values: { face: true, email: true, none: true },
      },
      reactivated: { description: 'True if a deactivated member with this email was reactivated.' },
    },
  },
  SkippedMember: {
    description: 'A member that `add` left out.',
    fields: {
      email: { description: 'The email as you sent it.' },
      reason: { description: 'The reason, such as `duplicate`.', values: { duplicate: true } },
    },
  },
  Organization: {
    description: 'The organization that owns the roster.',
    fields: {
      id: {
        description: "The organization's id. The contract does not say whether it is a number or a string.",
      },
      name: { description: 'Display name.' },
    },
  },
  MemberList: {
    description: 'The result of `members.list` (contract, section 4.9).',
    fields: {
      members: {
        description: 'The members with the role `member`. Other roles are not listed.',
        of: 'Member',
      },
      organization: { description: 'The organization that the credentials belong to.', of: 'Organization' },
    },
  },
  MemberFound: {
    description: 'The result of `members.resolve` for a member who exists.',
    fields: {
      found: { description: 'The member exists.' },
      member: { description: 'The member, of any role.', of: 'Member' },
    },
  },
  MemberNotFound: {
    description: 'The result of `members.resolve` for a member who does not exist.',
    fields: {
      found: { description: 'The member does not exist.' },
      member: { description: '`null`, because there is no member.' },
    },
  },
  AddResult: {
    description: 'The result of `members.add` (contract, section 4.9).',
    fields: {
      created: { description: 'The members that were added or reactivated.', of: 'AddedMember' },
      skipped: { description: 'The members that were left out, each with the reason.', of: 'SkippedMember' },
      notified: { description: 'True if invites were emailed.' },
    },
  },
  MemberDeactivated: {
    description: 'The result of `members.remove` without `permanent`. The row is kept.',
    fields: {
      member: { description: 'The deactivated member.', of: 'Member' },
      removed: { description: 'The row was not deleted.' },
      already_removed: { description: 'The row still exists.' },
    },
  },
  MemberRemoved: {
    description: 'The result of `members.remove` with `permanent: true`.',
    fields: {
      member: { description: '`null`, because the row no longer exists.' },
      removed: { description: 'This call deleted the row.' },
      already_removed: { description: 'The row existed until this call.' },
    },
  },
  MemberAlreadyRemoved: {
    description: 'The result of `members.remove` for a member who is gone already. This is a success.',
    fields: {
      member: { description: '`null`, because the row does not exist.' },
      removed: { description: 'This call deleted nothing.' },
      already_removed: { description: 'The row was gone already.' },
    },
  },
  InviteResult: {
    description: 'The result of `members.invite` (contract, section 4.9).',
    fields: {
      member: { description: 'The invited member.', of: 'Member' },
      activation_link: { description: 'The new activation link. It replaces every earlier link.' },
    },
  },
  NewMember: {
    description: 'A member to add.',
    fields: {
      email: { description: 'The email address, to which the invite is sent. One member per address.' },
      first_name: { description: 'First name, as shown in the roster.' },
      last_name: { description: 'Last name, as shown in the roster.' },
      role: {
        description: 'The role. The contract does not say what each role may do.',
        of: 'MemberRole',
        default: 'member',
      },
    },
  },
  AddParams: {
    description: 'Params of `members.add` (contract, section 4.9).',
    fields: {
      members: { description: 'The members to add, 1 to 500.', of: 'NewMember' },
      notify: {
        description: 'Whether invites are emailed. With `false`, face links are returned instead.',
        default: true,
      },
      invite: { description: 'The way to invite the members.', of: 'InviteMethod', default: 'auto' },
    },
  },
  RemoveParams: {
    description: 'Params of `members.remove` (contract, section 4.9).',
    fields: {
      permanent: {
        description: 'Deletes the row instead of deactivating the member. The account is never deleted.',
        default: false,
      },
    },
  },
  LegacyUser: {
    description: 'The user of a legacy sign-on (contract, section 4.8).',
    fields: {
      id: { description: "The user's id." },
      email: { description: 'Email address. Missing or `null` if there is none.' },
      username: { description: 'Username. Missing or `null` if there is none.' },
      name: { description: 'Name. Missing or `null` if there is none.' },
      svc_id: { description: "The id of the user's identity, if there is one." },
      avatar_url: { description: "The address of the user's picture." },
      created_at: { description: 'When the account was created. The contract does not give the format.' },
    },
  },
  LegacyTokens: {
    description: 'The tokens of a legacy sign-on (contract, section 4.8).',
    fields: {
      access_token: { description: 'The access token.' },
      token_type: { description: 'The token type. The contract does not list its value.' },
      expires_in: { description: 'Lifetime of the access token in seconds.' },
      refresh_token: { description: 'The refresh token.' },
    },
  },
  LegacyTokenSet: {
    description: 'The tokens and the user of a legacy sign-on (contract, section 4.8).',
    extends: 'LegacyTokens',
    fields: { user: { description: 'The user who signed in.', of: 'LegacyUser' } },
  },
  LegacyUserInfo: {
    description: 'The user info of an account (contract, section 4.8).',
    fields: {
      sub: { description: "The user's id." },
      email: { description: 'Email address. Missing or `null` if there is none.' },
      first_name: { description: 'First name. Missing or `null` if there is none.' },
      last_name: { description: 'Last name. Missing or `null` if there is none.' },
      full_name: { description: 'Full name. Missing or `null` if there is none.' },
      svc_id: { description: "The id of the user's identity, if there is one." },
      id_verified: { description: 'True if an ID was verified.' },
      created_at: { description: 'When the account was created. The contract does not give the format.' },
    },
  },
  LegacyLicense: {
    description: 'A license on an account (contract, section 4.8).',
    fields: {
      type: { description: 'The type of license.' },
      number: { description: 'The number as the board writes it.' },
      status: { description: 'The status. The contract does not list its values.' },
      expires_on: { description: 'Expiry date. The contract does not give the date format.' },
      issuer: { description: 'The issuer of the license.' },
    },
  },
  LegacyVerifiedLicense: {
    description: 'The verification of a license on an account (contract, section 4.8).',
    fields: {
      license_type: { description: 'The type of license.' },
      verified: { description: 'True if the license was verified.' },
      verified_from: { description: 'The source of the verification. `null` if there is none.' },
      expire_at: { description: 'When the verification expires, ISO 8601.' },
    },
  },
  LegacyVerifications: {
    description: 'The verifications of an account (contract, section 4.8).',
    fields: {
      human_verified: {
        description:
          'True if a human was verified. Falls back to `id_verified` if there was no explicit human check.',
      },
      id_verified: { description: 'True if an ID was verified.' },
      licenses: { description: 'One entry per license.', of: 'LegacyVerifiedLicense' },
    },
  },
  TokenResponse: {
    description: 'The response of the token endpoint, which has no envelope (contract, section 2.8).',
    fields: {
      access_token: { description: 'The access token, an RS256 JWT. Keep it secret.' },
      token_type: { description: 'The token type, `Bearer`.' },
      expires_in: { description: 'Lifetime of the access token in seconds, about 900.' },
      refresh_token: {
        description: 'The refresh token. Each refresh returns a new one and revokes the one you presented.',
      },
      id_token: { description: 'The id_token, an RS256 JWT. Trust it only after validation.' },
      scope: { description: 'The granted scopes, separated by spaces.' },
    },
  },
  IdDocumentFields: {
    description: 'The fields of an ID document. A field that the service did not read is missing or `null`.',
    fields: {
      full_name: { description: 'The name as printed on the document.' },
      document_number: { description: 'The number as printed on the document.' },
      date_of_birth: { description: 'Date of birth. The contract does not give the date format.' },
      date_of_expiry: { description: 'Expiry date. The contract does not give the date format.' },
      issuing_state: { description: 'The issuer. The contract does not give the format.' },
      country: { description: 'The country. The contract does not say whether it is a code or a name.' },
      document_type: { description: 'The type of document. The contract does not list its values.' },
    },
  },
  IdVerificationData: {
    description: 'The data of an ID verification (contract, section 2.3).',
    fields: {
      fields: { description: 'The fields that were read from the document.', of: 'IdDocumentFields' },
      portrait: { description: 'The portrait on the document, base64.' },
      dob: { description: 'Date of birth.' },
      authenticity: { description: 'The authenticity of the document.', of: 'DocumentAuthenticity' },
    },
  },
  DocumentAuthenticity: {
    description: 'The authenticity of a document.',
    fields: {
      score: {
        description: "The score. The contract does not give its scale. Rely on the check's `status`.",
      },
    },
  },
  LivenessData: {
    description: 'The data of a liveness check (contract, section 2.3).',
    fields: {
      live_score: {
        description:
          "The score. The service passes a selfie only if it equals 1. Rely on the check's `status`.",
      },
      result: { description: "The service's result. The contract does not list its values." },
    },
  },
  FaceMatchData: {
    description: 'The data of a face match (contract, section 2.3).',
    fields: {
      similarity: {
        description: 'The similarity of the two faces. The check passes if it is at least `threshold`.',
      },
      threshold: { description: 'The threshold for `similarity`, as the service applied it.' },
    },
  },
  AgeBandResult: {
    description:
      "The result for one age band. An unparsable band has `verified: null` and `error: 'unknown_band'`.",
    fields: {
      verified: {
        description: 'True if the person has reached the age. `null` if the band could not be parsed.',
      },
      min_age: { description: 'The age of the band, in years.' },
      error: { description: 'The reason if there is no result.', values: { unknown_band: true } },
    },
  },
  AgeData: {
    description: 'The data of an age check (contract, section 4.3).',
    fields: {
      age: { description: "The person's age in whole years." },
      dob: { description: 'Date of birth.' },
      bands: { description: "One entry per requested band, under the service's key.", of: 'AgeBandResult' },
    },
  },
  LicenseData: {
    description: 'A license as its board lists it (contract, section 2.3).',
    fields: {
      license_number: { description: 'The number as the board writes it.' },
      status: { description: "The board's status of the license. The contract does not list its values." },
      issued_at: { description: 'Issue date. The contract does not give the date format.' },
      expires_at: { description: 'Expiry date. The contract does not give the date format.' },
      specialty: { description: 'The specialty, as the board writes it.' },
    },
  },
  CredentialData: {
    description: 'The data of a license check (contract, sections 2.3 and 4.4).',
    fields: {
      match: {
        description:
          'True if the license belongs to the named person. `null` in search mode, which does not verify a holder.',
      },
      mode: {
        description:
          '`search` without a name, `verify` with a name. The contract does not list the value for account mode.',
        values: { search: true, verify: true },
      },
      found: { description: 'In search mode: true if the board lists the number.' },
      license: { description: 'The license, if one was found.', of: 'LicenseData' },
    },
  },
  LocationData: {
    description: 'The data of a location check (contract, sections 2.3 and 4.3).',
    fields: {
      latitude: { description: 'Latitude in degrees.' },
      longitude: { description: 'Longitude in degrees.' },
      accuracy: { description: 'Accuracy of the fix. The contract does not give its unit.' },
      source: { description: 'The source of the fix.', values: { gps: true } },
      captured_at: { description: 'When the fix was captured, ISO 8601.' },
      expected_latitude: { description: 'Latitude of the expected point, in degrees.' },
      expected_longitude: { description: 'Longitude of the expected point, in degrees.' },
      distance_m: { description: 'Distance from the expected point, in meters.' },
      radius_m: { description: 'The requested radius, in meters.' },
      match: {
        description:
          'True inside the radius, false outside. `null` without a radius. Missing without an expected point.',
      },
    },
  },
  CheckDataByType: {
    description: 'The type of `data`, by type of check.',
    fields: {
      id_verification: { description: 'Document fields, portrait, authenticity.', of: 'IdVerificationData' },
      liveness: { description: 'The live score.', of: 'LivenessData' },
      face_match: { description: 'Similarity and threshold.', of: 'FaceMatchData' },
      age: { description: 'The result of each band.', of: 'AgeData' },
      credential: { description: 'The license, and whether it matches the holder.', of: 'CredentialData' },
      location: { description: 'The GPS fix and the distance.', of: 'LocationData' },
    },
  },
  AgeParams: {
    description: 'Params of an age check (contract, section 4.3).',
    fields: {
      dob: { description: 'Date of birth, preferably as `YYYY-MM-DD`.' },
      bands: {
        description:
          "The bands to check. An empty array defaults to `is_18_plus`. Any band is possible with a date of birth. The service's account mode supports only 16, 18, 21, 30 and 65.",
      },
    },
  },
  LocationParams: {
    description:
      'Params of a location check: a GPS fix, and the expected point if any (contract, section 4.3).',
    fields: {
      latitude: {
        description:
          'Latitude in degrees. If the person blocked the permission, leave out the coordinates: the check then fails.',
      },
      longitude: { description: 'Longitude in degrees.' },
      accuracy: { description: 'Accuracy of the fix. The contract does not give its unit.' },
      expected_latitude: {
        description:
          'Latitude of the expected point, in degrees. Without an expected point the location is only captured.',
      },
      expected_longitude: { description: 'Longitude of the expected point, in degrees.' },
      radius_m: {
        description: 'Radius in meters. Without it, the distance is reported and nothing is matched.',
      },
    },
  },
  LicenseFields: {
    description: 'What every license check needs, and what some boards require (contract, section 4.4).',
    fields: {
      license_state: { description: 'The jurisdiction, two letters.' },
      license_number: { description: 'The number exactly as the board writes it, punctuation included.' },
      npi: { description: 'The NPI, if the provider supports it.' },
      remote_code: { description: "The provider's `remote_code`, if its `required_fields` list it." },
    },
  },
  LicenseOfProvider: {
    description: 'A license whose board the caller knows.',
    extends: 'LicenseFields',
    fields: {
      provider_code: {
        description: "The provider's `provider_code`. It selects the exact board. Sent unchanged.",
      },
      license_type: { description: "The provider's `credential_name`. Sent unchanged." },
    },
  },
  LicenseOfType: {
    description: 'A license that is known by its type.',
    extends: 'LicenseFields',
    fields: {
      license_type: { description: "The provider's `credential_name`. Sent unchanged." },
      provider_code: {
        description: "The provider's `provider_code`. It selects the exact board. Sent unchanged.",
      },
    },
  },
  HolderByAccount: {
    description: "No holder, or a holder's account. Without a name and a token, the check only searches.",
    fields: {
      svc_access_token: { description: 'Verifies the license against the verified name of this account.' },
    },
  },
  HolderByFullName: {
    description: 'A holder whose name is in one field.',
    fields: { full_name: { description: 'Verifies the license against this name.' } },
  },
  HolderByNames: {
    description: 'A holder whose name is in two fields.',
    fields: {
      first_name: { description: 'Verifies the license against this name, with `last_name`.' },
      last_name: { description: 'Verifies the license against this name, with `first_name`.' },
    },
  },
  LicenseLookup: {
    description: 'How a license is looked up.',
    fields: {
      do_ai_clean: {
        description: 'Normalizes unusual number formats, and tries again if the board finds no license.',
      },
    },
  },
  CheckOf: {
    description: 'The fields of every check (contract, section 2.3).',
    fields: {
      type: { description: 'The type of check.' },
      status: { description: 'The status of the check. Only `passed` is a pass.', of: 'CheckStatus' },
      score: { description: 'The score. Absent for age.' },
      data: { description: 'The data, by type of check. An empty object if the service sent none.' },
      error: {
        description:
          'The error, if any. An object has a `message`. The contract does not list its other members.',
        of: 'CheckError',
      },
    },
  },
  CheckError: {
    description: 'The error of a check (contract, section 2.3).',
    fields: { message: { description: 'Description for people. Not stable.' } },
  },
  StandaloneResult: {
    description:
      'The result of a standalone check (contract, section 2.5). A failed check is a result, not an error.',
    fields: {
      session_id: {
        description:
          'Identifier of the session. The contract does not say whether `sessions.retrieve` finds it.',
      },
      status: { description: 'The status of the check.', of: 'CheckStatus' },
      check: { description: 'The check itself.', of: 'CheckFor' },
    },
  },
  AgeResult: {
    description: 'The result of an age check, with the bands that were requested.',
    fields: { check: { description: 'The check itself.', of: 'CheckOf' } },
  },
  Identity: {
    description: "The person's identity as the ID states it (contract, section 2.5).",
    fields: {
      name: { description: 'The name on the ID.' },
      dob: { description: 'The date of birth on the ID.' },
    },
  },
  CombinedResult: {
    description: 'The result of the combined identity and license check (contract, section 2.5).',
    fields: {
      session_id: {
        description:
          'Identifier of the session. The contract does not say whether `sessions.retrieve` finds it.',
      },
      status: { description: 'The overall status.', of: 'CheckStatus' },
      identity: { description: 'The identity that was read from the ID.', of: 'Identity' },
      checks: { description: 'The ID verification, liveness, face match and license checks.', of: 'Check' },
    },
  },
  CredentialState: {
    description: 'A jurisdiction that has at least one license provider (contract, section 2.6).',
    fields: {
      state_name: { description: 'Display name.' },
      state_code: { description: 'Two letters, such as `CA`.' },
    },
  },
  CredentialProvider: {
    description: 'One type of license of one board (contract, section 2.6).',
    fields: {
      provider_code: { description: 'Identifies the board. Not unique: several rows may share it.' },
      provider_display_name: { description: 'Display name.' },
      credential_code: { description: 'Unique key of the row, for example for a dropdown.' },
      credential_name: { description: 'The name of the credential. A check takes it as `license_type`.' },
      state_code: { description: 'Two letters, such as `CA`.' },
      remote_code: { description: "The board's own code, if it requires one." },
      required_fields: {
        description: 'The fields that a check requires, such as `license_no` or `remote_code`.',
      },
    },
  },
  Session: {
    description:
      'A hosted verification (contract, section 2.2). A retrieved session has more fields, such as the workflow and timestamps. The contract does not list their names.',
    fields: {
      session_id: { description: "The session's id, which the other methods take." },
      status: {
        description: 'The current status. It is not a verdict: the outcome is in the decision.',
        of: 'SessionStatus',
      },
      url: { description: 'The address of the hosted page. Send the person here.' },
      session_token: { description: 'Safe to pass to the browser. The API key is not.' },
      features: { description: 'The types of check that the workflow runs.', of: 'CheckType' },
      redirect_url: { description: 'The address to which the person returns.' },
      expires_at: { description: 'ISO 8601, UTC.' },
      vendor_data: {
        description:
          'Your own reference, as you passed it to `sessions.create`. The contract shows it only for retrieved sessions.',
      },
    },
  },
  SessionCreateParams: {
    description:
      'Params of a new session (contract, section 2.2). The contract does not say which fields are mandatory, so the service decides.',
    fields: {
      workflow_id: {
        description:
          'Selects the checks to run. For an unknown or foreign id the service returns 404 `workflow_not_found`.',
      },
      redirect_url: {
        description:
          'An absolute URL. The browser returns here with `session_id` and `status`. The status is only a hint.',
      },
      callback: {
        description:
          'The webhook destination. It must equal an active, approved HTTPS webhook destination of the project, otherwise the service returns 422 `callback_not_allowed`.',
      },
      vendor_data: {
        description: 'Your own reference. The service echoes it on webhooks and on the decision.',
      },
      ttl_seconds: {
        description:
          'Lifetime of the session in whole seconds. The contract lists no bounds, so the service decides.',
      },
      metadata: { description: 'Your own free-form data. The contract lists no bounds.' },
      svc_access_token: {
        description:
          "The person's access token, for the account variant. The result is then stored on the person's account, and proofs-only results and selfie-only reuse apply.",
      },
    },
  },
  SessionListParams: {
    description:
      'Filters of a list of sessions. A call returns one page, because the contract documents no pagination.',
    fields: {
      status: { description: 'Only sessions with this status.', of: 'SessionStatus' },
      vendor_data: { description: 'Only sessions with this reference.' },
      limit: { description: 'Maximum number of sessions, a whole number. The contract lists no bounds.' },
    },
  },
  SessionStatusUpdate: {
    description: 'Params of a manual verdict (contract, sections 3.1 and 4.1).',
    fields: { status: { description: 'The verdict to record. It cannot be undone.', of: 'Outcome' } },
  },
  Decision: {
    description: 'The authoritative result of a session (contract, section 2.4).',
    fields: {
      status: {
        description:
          'The progress of the session. It may be `IN_REVIEW`, or the session may still be pending.',
        of: 'SessionStatus',
      },
      decision: {
        description: 'The outcome. `null` while the decision is pending. Never derived from `status`.',
        of: 'Outcome',
      },
      decided_at: {
        description: 'When the decision was made, ISO 8601. Missing or `null` while the decision is pending.',
      },
      checks: { description: 'Every check of the workflow.', of: 'Check' },
      vendor_data: { description: 'Your own reference, as you passed it to `sessions.create`.' },
    },
  },
  DecidedDecision: {
    description: 'A decision that has an outcome.',
    extends: 'Decision',
    fields: { decision: { description: 'The outcome.', of: 'Outcome' } },
  },
  Workflow: {
    description: 'A named set of checks (contract, section 2.7), normally defined in the developer console.',
    fields: {
      id: { description: "The workflow's id. `sessions.create` takes it as `workflow_id`." },
      name: { description: 'Display name.' },
      features: { description: 'The types of check that the workflow runs.', of: 'CheckType' },
    },
  },
  WebhookDecision: {
    description:
      'The decision in an event, which is a summary. The full decision comes from `sessions.decision`.',
    fields: {
      status: { description: 'Status of the session.', of: 'SessionStatus' },
      decision: {
        description: 'The outcome: `APPROVED` or `DECLINED`. Null or absent while the decision is pending.',
        of: 'Outcome',
      },
      decided_at: { description: 'Time of the decision, in ISO 8601.' },
      checks: { description: 'May be absent. `sessions.decision` returns all checks.', of: 'Check' },
    },
  },
  WebhookEventOf: {
    description: 'The fields of every event (contract, section 6).',
    fields: {
      event_id: { description: 'Identifies the event. A second delivery of the same event has the same id.' },
      type: { description: "The event's type." },
      session_id: { description: "The session's id. Pass it to `sessions.decision`." },
      status: { description: 'Status of the session when the event was created.', of: 'SessionStatus' },
      vendor_data: { description: 'The `vendor_data` that you passed to `sessions.create`.' },
      decision: {
        description: 'A summary. Call `sessions.decision` before you act on it.',
        of: 'WebhookDecision',
      },
      occurred_at: {
        description: 'Time of the event, in ISO 8601. Compare it, because events may arrive out of order.',
      },
      test: { description: 'True for test events sent from the console.' },
    },
  },
} as const
