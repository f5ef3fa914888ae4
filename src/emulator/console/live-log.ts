/** Runs in the browser: puts each request on top of the table as it is answered. Texts stay texts. */
export const liveLog = `
const live = document.getElementById('live')
const stream = new EventSource(live.dataset.stream)
let waits = false
stream.onopen = () => { live.textContent = 'Live: requests appear here as they are answered.' }
stream.onerror = () => { live.textContent = 'The emulator is away. Trying again.' }
stream.onmessage = ({ data }) => {
  const rows = document.querySelector('tbody')
  if (rows === null) {
    // The first request: the page has no table yet.
    if (!waits) location.reload()
    waits = true
    return
  }
  const { at, method, path, operation, status, key, requestId } = JSON.parse(data)
  const row = rows.insertRow(0)
  for (const text of [at.slice(0, 19).replace('T', ' '), method, path, operation || 'none', status, key || 'none', requestId])
    row.insertCell().textContent = text
  while (rows.rows.length > 200) rows.deleteRow(-1)
}
`
