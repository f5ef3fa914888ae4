// Texts in other languages: cspell:ignore Bürgeramt Ciudad José Khai Köln María Minh México Müller Nguyễn
// cspell:ignore Núñez Thành cirugía geprüft plástica Київ Олександра Шевченко терапевт

/** People as documents and licenses name them: most names of the world are not ASCII, and texts contain emoji. */
const people = [
  { name: '山田 太郎', country: 'JP', place: '東京都公安委員会', note: '内科・小児科 🩺' },
  { name: 'Zoë Ångström-Müller', country: 'DE', place: 'Bürgeramt Köln', note: 'geprüft ✅' },
  { name: 'Nguyễn Thị Minh Khai', country: 'VN', place: 'Thành phố Hồ Chí Minh', note: 'đã xác minh' },
  { name: '王小明', country: 'TW', place: '內政部移民署', note: '護理師 👩‍⚕️' },
  { name: 'Ann Other', country: 'US', place: 'California', note: 'Registered Nurse' },
  { name: '김민준', country: 'KR', place: '서울특별시', note: '가정의학과' },
  { name: 'José María Núñez', country: 'MX', place: 'Ciudad de México', note: 'cirugía plástica 🌮' },
  { name: 'Олександра Шевченко', country: 'UA', place: 'Київ', note: 'терапевт' },
]

/** @type {readonly ((person: typeof people[number], i: number) => { type: string, score?: number, data: object })[]} */
const kinds = [
  ({ name, country, place }, i) => ({
    type: 'id_verification',
    score: 0.99,
    data: {
      fields: {
        full_name: name,
        document_number: `X${1_000_000 + i}`,
        date_of_birth: '1990-05-17',
        date_of_expiry: '2031-11-30',
        issuing_state: place,
        country,
        document_type: 'passport',
      },
      dob: '1990-05-17',
      authenticity: { score: 0.987 },
    },
  }),
  () => ({ type: 'liveness', score: 1, data: { live_score: 1, result: 'live' } }),
  () => ({ type: 'face_match', score: 0.98, data: { similarity: 0.9812, threshold: 0.95 } }),
  ({ note }, i) => ({
    type: 'credential',
    score: 1,
    data: {
      match: true,
      mode: 'verify',
      license: {
        license_number: `RN-${10_000 + i}`,
        status: 'active',
        issued_at: '2019-03-01',
        expires_at: '2029-03-01',
        specialty: note,
      },
    },
  }),
  () => ({
    type: 'age',
    data: {
      age: 36,
      dob: '1990-05-17',
      bands: { is_18_plus: { verified: true, min_age: 18 }, is_65_plus: { verified: false, min_age: 65 } },
    },
  }),
  (_, i) => ({
    type: 'location',
    score: 1,
    data: {
      latitude: 50.9375 + i / 1e4,
      longitude: 6.9603,
      accuracy: 12.5,
      source: 'gps',
      captured_at: '2026-01-01T00:00:00Z',
      distance_m: 84.2,
      radius_m: 500,
      match: true,
    },
  }),
]

/**
 * Returns an event with a decision that has as many checks as fit into the given size. A longer `vendor_data` fills the
 * few bytes that remain.
 *
 * @param {number} bytes the size of the event as JSON in UTF-8
 */
export function webhookEvent(bytes) {
  const checks = []
  let size = sizeOf(eventWith([], ''))
  for (let i = 0, skipped = 0; skipped < kinds.length; i++) {
    const check = checkOf(i)
    const larger = size + sizeOf(check) + 1
    if (larger > bytes) {
      skipped++
      continue
    }
    checks.push(check)
    size = larger
  }
  return eventWith(checks, 'x'.repeat(bytes - sizeOf(eventWith(checks, ''))))
}

/** @param {number} i */
function checkOf(i) {
  const [kind, person] = [kinds[i % kinds.length], people[Math.floor(i / kinds.length) % people.length]]
  if (kind === undefined || person === undefined) throw new Error('no kinds of checks, or no people')
  return { status: 'passed', error: null, ...kind(person, i) }
}

/**
 * @param {readonly object[]} checks
 * @param {string} filling
 */
const eventWith = (checks, filling) => ({
  event_id: 'evt_1',
  type: 'verification.approved',
  session_id: 'sess_1',
  status: 'APPROVED',
  vendor_data: `user-42${filling}`,
  occurred_at: '2026-01-01T00:00:00Z',
  decision: { status: 'APPROVED', decision: 'APPROVED', decided_at: '2026-01-01T00:00:00Z', checks },
})

/** @param {object} value */
const sizeOf = (value) => Buffer.byteLength(JSON.stringify(value))
