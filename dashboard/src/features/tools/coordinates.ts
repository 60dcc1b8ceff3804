/** Right ascension in degrees as hours: `23h06m29.4s`, two decimals below a minute. */
export function formatRa(degrees: number): string {
  const total = Math.round((((degrees % 360) + 360) % 360) * 240 * 100) % 8_640_000;
  const h = Math.floor(total / 360_000);
  const m = Math.floor((total % 360_000) / 6000);
  const s = (total % 6000) / 100;
  return `${pad(h)}ʰ ${pad(m)}ᵐ ${s.toFixed(2).padStart(5, "0")}ˢ`;
}

/** Declination in degrees as `−05° 02′ 29.0″`. */
export function formatDec(degrees: number): string {
  const total = Math.round(Math.abs(degrees) * 36_000);
  const d = Math.floor(total / 36_000);
  const m = Math.floor((total % 36_000) / 600);
  const s = (total % 600) / 10;
  return `${degrees < 0 ? "−" : "+"}${pad(d)}° ${pad(m)}′ ${s.toFixed(1).padStart(4, "0")}″`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}

const DEG = Math.PI / 180;

/** ICRS to Galactic, in degrees (rotation of ESA 1997, The Hipparcos Catalogue, vol. 1, 1.5.3). */
export function toGalactic(ra: number, dec: number): { l: number; b: number } {
  const poleRa = 192.85948 * DEG;
  const poleDec = 27.12825 * DEG;
  const node = 122.93192;
  const a = ra * DEG - poleRa;
  const d = dec * DEG;
  const sinB = Math.sin(d) * Math.sin(poleDec) + Math.cos(d) * Math.cos(poleDec) * Math.cos(a);
  const y = Math.cos(d) * Math.sin(a);
  const x = Math.sin(d) * Math.cos(poleDec) - Math.cos(d) * Math.sin(poleDec) * Math.cos(a);
  const l = node - Math.atan2(y, x) / DEG;
  return { l: ((l % 360) + 360) % 360, b: Math.asin(Math.max(-1, Math.min(1, sinB))) / DEG };
}

/**
 * Hammer-Aitoff projection (Calabretta & Greisen 2002, A&A 395, 1077), centred on l = 0 with
 * longitude growing to the left; x in [-1, 1], y in [-0.5, 0.5] upwards.
 */
export function hammer(l: number, b: number): { x: number; y: number } {
  const lambda = ((l > 180 ? l - 360 : l) * DEG) / 2;
  const phi = b * DEG;
  const gamma = 1 / Math.sqrt(1 + Math.cos(phi) * Math.cos(lambda));
  return {
    x: -gamma * Math.cos(phi) * Math.sin(lambda),
    y: (gamma * Math.sin(phi)) / 2,
  };
}
