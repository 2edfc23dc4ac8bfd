// The live board: asks for the top once a second, moves rows to their new places, and looks up single players.
//
// Names come from anybody: they reach the page through textContent only, never as markup.

const parameters = new URLSearchParams(location.search);
const leaderboard = parameters.get("leaderboard") ?? "main";
const season = parameters.get("season") ?? "current";
const base = `/v1/leaderboards/${encodeURIComponent(leaderboard)}/seasons/${encodeURIComponent(season)}`;

const POLL_MS = 1000;
const DETAIL_POLL_MS = 2000;
const LONGEST_WAIT_MS = 15000;
const ANSWER_WITHIN_MS = 8000;
const SHOW_MOVEMENT_MS = 6000;
const SLIDE_MS = 450;

const find = (id) => document.getElementById(id);
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Sleeps, or wakes early through `wake`. */
const sleeper = () => {
  let wake = () => {};
  const sleep = (ms) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  return { sleep, wake: () => wake() };
};

/** Points are 64-bit integers and decimals: as numbers of JavaScript they would be rounded, so they become text. */
const parseExactly = (text) => JSON.parse(text.replace(/"points":(-?\d+(?:\.\d+)?)/g, '"points":"$1"'));

const withThousands = (number) => {
  const [whole, fraction] = String(number).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
};

const ago = (iso) => {
  const seconds = Math.round((Date.now() - Date.parse(iso)) / 1000);
  if (Number.isNaN(seconds)) return "";
  if (seconds < 5) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  return iso.slice(0, 10);
};

/** A problem the server told, or a connection that failed. */
class Trouble extends Error {
  constructor(message, status = 0, retryAfterMs = 0) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The answer as an object; null when it is still the one with `etag`. */
const get = async (path, etag) => {
  const headers = etag ? { "If-None-Match": etag } : {};
  let response;
  try {
    response = await fetch(path, { headers, cache: "no-store", signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  } catch {
    throw new Trouble("reconnecting");
  }
  if (response.status === 304) return null;
  const text = await response.text();
  if (!response.ok) {
    const retryAfterMs = Number(response.headers.get("Retry-After") ?? 0) * 1000;
    let code = "";
    try {
      code = JSON.parse(text).code;
    } catch {
      // Not one of our answers: a proxy's, perhaps.
    }
    const told = { not_ready: "server is starting", not_found: "no such board" }[code];
    throw new Trouble(told ?? `reconnecting (${response.status})`, response.status, retryAfterMs);
  }
  return { ...parseExactly(text), etag: response.headers.get("ETag") };
};

const showStatus = (state, text) => {
  find("status").dataset.state = state;
  if (find("status-text").textContent !== text) find("status-text").textContent = text;
};

const element = (name, className, text) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};

const hashOf = (player) => `#player=${encodeURIComponent(player)}`;

const playerButton = (player) => {
  const button = element("button", "name", player);
  button.type = "button";
  button.title = player;
  button.addEventListener("click", () => {
    location.hash = hashOf(player);
  });
  return button;
};

/** The rows of the top by player, so that a row stays the same element while it moves. */
const rows = new Map();

const makeRow = (player) => {
  const row = element("tr");
  const badge = element("span", "badge");
  const rank = element("td", "rank");
  rank.append(badge);
  const move = element("td", "move");
  const name = element("td", "player");
  const share = element("span", "share");
  name.append(playerButton(player), share);
  const points = element("td", "points");
  const when = element("td", "when");
  row.append(rank, move, name, points, when);
  return { row, badge, move, share, points, when, rank: 0, shownPoints: "", achievedAt: "", movedAt: 0 };
};

const showMovement = (entry, by) => {
  entry.move.textContent = by > 0 ? `▲ ${by}` : `▼ ${-by}`;
  entry.move.className = by > 0 ? "move up" : "move down";
  entry.movedAt = performance.now();
};

const fillRow = (known, entry, leader, isNews) => {
  if (isNews && known.rank && known.rank !== entry.rank) showMovement(known, known.rank - entry.rank);
  if (isNews && known.shownPoints && known.shownPoints !== entry.points) {
    known.row.classList.remove("scored");
    requestAnimationFrame(() => known.row.classList.add("scored"));
  }
  known.rank = entry.rank;
  known.shownPoints = entry.points;
  known.achievedAt = entry.achievedAt;
  known.badge.textContent = entry.rank;
  known.badge.dataset.rank = entry.rank;
  known.points.textContent = withThousands(entry.points);
  const part = leader > 0 ? Math.min(1, Math.max(0, Number(entry.points) / leader)) : 0;
  known.share.style.transform = `scaleX(${part})`;
};

/** First, last, invert, play: rows slide from where they were to where they belong. */
const slide = (before) => {
  if (calm.matches) return;
  for (const { row } of rows.values()) {
    const was = before.get(row);
    const shift = was === undefined ? 0 : was - row.offsetTop;
    if (shift !== 0) {
      row.animate([{ transform: `translateY(${shift}px)` }, { transform: "none" }],
        { duration: SLIDE_MS, easing: "cubic-bezier(.2, .8, .2, 1)" });
    } else if (was === undefined && before.size > 0) {
      row.animate([{ opacity: 0 }, { opacity: 1 }], { duration: SLIDE_MS });
    }
  }
};

const showTop = (board) => {
  find("leaderboard").textContent = leaderboard;
  find("season").textContent = board.season;
  find("players").textContent = withThousands(board.players);
  find("empty").hidden = board.entries.length > 0;
  const before = new Map([...rows.values()].map(({ row }) => [row, row.offsetTop]));
  const isNews = rows.size > 0;
  const leader = Number(board.entries[0]?.points ?? 0);
  const present = new Set(board.entries.map((entry) => entry.playerId));
  for (const [player, { row }] of rows) {
    if (present.has(player)) continue;
    row.remove();
    rows.delete(player);
  }
  const body = find("top");
  const focused = document.activeElement;
  board.entries.forEach((entry, place) => {
    if (!rows.has(entry.playerId)) rows.set(entry.playerId, makeRow(entry.playerId));
    const known = rows.get(entry.playerId);
    fillRow(known, entry, leader, isNews);
    if (body.children[place] !== known.row) body.insertBefore(known.row, body.children[place] ?? null);
  });
  if (focused?.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
  slide(before);
  markFollowed();
};

const age = () => {
  const now = performance.now();
  for (const known of rows.values()) {
    if (known.movedAt && now - known.movedAt > SHOW_MOVEMENT_MS) {
      known.move.textContent = "";
      known.movedAt = 0;
    }
    const text = ago(known.achievedAt);
    if (known.when.textContent !== text) known.when.textContent = text;
  }
};

const followed = () => {
  const match = /^#player=(.+)$/.exec(location.hash);
  try {
    return match ? decodeURIComponent(match[1]) : null;
  } catch {
    return null;
  }
};

const markFollowed = () => {
  const player = followed();
  for (const [name, { row }] of rows) row.classList.toggle("me", name === player);
};

const showPlayer = (player, place, around) => {
  find("detail").hidden = false;
  find("detail-title").textContent = player;
  find("absent").hidden = place !== null;
  find("facts").hidden = place === null;
  if (place) {
    find("fact-rank").textContent = withThousands(place.rank);
    find("fact-points").textContent = withThousands(place.points);
    find("fact-percentile").textContent = `${place.percentile} %`;
  }
  find("around").replaceChildren(...(around?.entries ?? []).map((entry) => {
    const row = element("tr", entry.playerId === player ? "me" : "");
    const name = element("td", "player");
    name.append(playerButton(entry.playerId));
    row.append(element("td", "", withThousands(entry.rank)), name,
      element("td", "points", withThousands(entry.points)));
    return row;
  }));
};

const lookUp = async (player) => {
  const path = `${base}/players/${encodeURIComponent(player)}`;
  try {
    const [place, around] = await Promise.all([get(path), get(`${path}/around?radius=5`)]);
    if (player === followed()) showPlayer(player, place, around);
  } catch (trouble) {
    // A player who is absent, or an id that cannot be one; anything else is the top's to tell.
    const nobody = trouble.status === 404 || trouble.status === 422 || trouble.status === 400;
    if (nobody && player === followed()) showPlayer(player, null, null);
  }
};

const topSleeper = sleeper();
const detailSleeper = sleeper();

const watchTop = async () => {
  let etag = null;
  let asked = "";
  let failures = 0;
  while (true) {
    let pause = POLL_MS;
    const path = `${base}/top?limit=${find("count").value}`;
    try {
      const board = await get(path, path === asked ? etag : null);
      if (board) {
        ({ etag } = board);
        asked = path;
        showTop(board);
      }
      failures = 0;
      showStatus("live", "live");
    } catch (trouble) {
      if (!(trouble instanceof Trouble)) throw trouble;
      failures += 1;
      showStatus("lost", trouble.message);
      const backoff = Math.min(LONGEST_WAIT_MS, POLL_MS * 2 ** (failures - 1));
      pause = Math.max(trouble.retryAfterMs, backoff * (0.75 + Math.random() / 2));
    }
    age();
    await topSleeper.sleep(pause);
    while (document.hidden) await topSleeper.sleep(LONGEST_WAIT_MS);
  }
};

const watchPlayer = async () => {
  while (true) {
    const player = followed();
    if (player === null) {
      find("detail").hidden = true;
    } else {
      await lookUp(player);
    }
    await detailSleeper.sleep(player === null || document.hidden ? LONGEST_WAIT_MS : DETAIL_POLL_MS);
  }
};

find("search").addEventListener("submit", (event) => {
  event.preventDefault();
  location.hash = hashOf(find("player").value);
});
find("close").addEventListener("click", () => {
  location.hash = "";
});
find("count").addEventListener("change", topSleeper.wake);
addEventListener("hashchange", () => {
  markFollowed();
  detailSleeper.wake();
});
document.addEventListener("visibilitychange", () => {
  topSleeper.wake();
  detailSleeper.wake();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|SELECT)$/.test(document.activeElement?.tagName ?? "")) {
    event.preventDefault();
    find("player").focus();
  } else if (event.key === "Escape" && followed() !== null) {
    location.hash = "";
  }
});

watchTop();
watchPlayer();
