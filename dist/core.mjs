/* lockkeeper 0.2.0, MIT */
// build/out/embedded.js
var text = "t@}@k@0)ttt)@=)T@{(@I@I)@I@{)@I)@I@{(@I@It@{.@I@I@I)@I@{)@It@{.@I@I@It@{t)@I@{(@I@?)@I@{)@?)@I@{(@?@I)@I@{t)@?@{.@I@I@?t@{)@I)@?@{d@I@I@I@?@?t@{n@I@I@I@I)@I@{n@I@I@?@?)@I@{n@I@I@?@?t@{d@I@I@I@I@It@{n@I@I@I@?)@I@{.@I@I@?)@I@{{@I@I@?@I@I@?@I)@I@{tt@{s@I@I@?@?@?@?@?@I@I@I@I@I)@I.@{@pn{)})(n(ntd}))d.t(((nnt.tt)t.)tdc.dgtttt)y.{p)).()t|r{t.()Mt(,PD,((0.(((nn))gtsd>p>>s}t)4p)pp-gdp)))@3@3(p{)@I)=@3e,{~n)Pp@0@s@0@-@2@e(td@2@s@k@s@mt@d{@k@>@2@}@m@>@|t1d@}@T@T@D@et@n>@s@<@s@4@mN@-@+@4@mt@.p@s@<@s@4@m@kt@(}@k@4@}@T@k@|@-@mtw{@2@s@k@m@-@2@st@)n@c@-@2@Pt@tp@2@s@M@-@r@4tJ,@4@s@F@mY@s@h@+@s@k@mt5,@2@s@h@+@s@k@mU@}@0@st9d@2@}@r@k@st_n@D@}@k@mt%n@m@r@0@st^s@4@s@F@mf@s@}@,@D@r@4@stYs@2@s@h@+@s@k@mN@-@+@4@mtQn@|@}@k@|tC>@U=@prtetet&(tetet&(n,z))@#e)~,i(@Uet@k=@J~=~ ~A@e@Dite(Le@K@U@ket=|@<@k=~:@8@9@9@F@Dit=c@<et@k,>teto(net!,It=tet@Net@}etftttttttt@c:etf~q~q~q~q~q~qAN@s:@2m,ctetott=)@m=n@M,Htete)r$=(@m=@3e@Mi)o(t&(te)et&(t,l))@Ieto(ti)eto(n&(neto(ne)&(tetrt,Z))@Ieto(tl(e)et&(ne)e(&(teto(te)&(nete)&(t,@L.),@Iet=@W)@Ml>.ae>r(:naeto(@8)i)rpe)=w@Pi(=h@Ml}e(1t]na(ae}r(:cte(=tEt]e(=u@Mln=)lp=)l).ae)=)@hnaeno(nl.=tl{.ae.enOnae.epenrZigepenrZldegl).ae)e.!e)ed!@2:nae) .se. .s@>nae)o(nl,e)rpe.e)r{e,l)de.o(nl.,s),,e{=)eneg!ml{edl.s),,e{=)@hl)ep=)@mlps),,.aenr(c)e(o(oi)rpete)=+@Prbst,t,,e(=r@Mld.a(ae(o(ei)ed!cte(1t]cte(e)o(}i.rz:cte(e)o(n&(ee(e(o(v=)@M&(ve)=)Etre.e.o(v=0@D@M=~Vt@Me)Oc)ete.rbs),,edr(:c)e}r(:c)et=~Ht@Me(rDe(e(o(}rn=a@Prds),,, te)o(}eto(}=@J~=~ ~A@e@D@kit=|@<et@k=~:@8@9@9@F@Dit=c@<et@k,C))@Ieto(tl.(aet1t}nae.eto(n@Me)e(rW:c)et=)Etgde.:c)e.eto(n@Me)e(rTk,,eteto(ne(@M&(n,htetftttttt~V@I@gn@Ietr.d=),,@v)).@Ietr$it=Hqna(aet=(@m=@3e@Mi(o(ti)nae(e)o(t&(ts),(@I=)et@mitAti)=r@m=@Alo(t=@Ol@Mi(@Pi.Snaete.@P=r@<=)@Mi.e)=.@<@Mro:na=te.ro:c(k,,=@Al=@Alo(tet@M&(te(,|,,e),&)(@Iet=nrHi)n@Ie)otti(eto(n=)@<qn@Ie)=tete(=)@mrHmd=t,d=t,,@U)).@Iete(e)o(@{e) .afttttttttre=tl(.ae)o(@De(Snae)e(=0@D@Mino(@?i.o(een=~Vt@Mid!nae.eno(@m&(e,en1t@3)nae.e.o(v=)@P&(v,edrpete.rMe(=)@Ml(s),,e)=+@Mrpete)r]et=~$t@Me)rDe)e)o(@D=0@D=~Vt@Mrd,mtete(rHitnae)ete(rTk,et=tO,@k((@I(@#e)=n@Ml(e)rne)@Ml.=)l)et=)@<=~I~O~]~!n@k@%ln.ae(e.Onae(6tte)@%en@#@?id@U=~q~q~q~q{@hedLF@K@U@Mit=~q~q~q~q{@Petet=~*~q~q~q{Sml)e(=(@Ml(s),,e),Tte)r<:naet=@W)@Me)=w@Mr{,,2tete)o(f&(tete)o(a=)@m&(n,L)(@Ieto(teto(ne)o(n@h=(@m@Ml(.ae(i.o(ti(e)Oct,e.e)o(t&(teteto(}=)@P&(},yteto(teto(nr:,ktet=t&(setLtW(netet=s@M&(t,0teto(@N)e)=(@m@M=n@Po(t,6))@Ietl..ae(nae.e)1ttEtte.=)@Ml.e)=)@Ml)e(=)@Pl(s),,et,2tet=b@Mete)rqr3it=r@P=tetm,ktet:na=@Wlo(tr/=@Wle)&(t,et,i).@Ietl).ae(i.=)@Ml(e)o(ni)etOct,e.,@!.)>@I?t=b@Pi.utet=o&(ne)=~Lt@Ml(e)=~Vt@Mlg.ae(o(ti(egOnaete(=e@M=sr>ete(=r@Po(tinenrnr>e(=n@Ml(s),,=tl(.ae)e{rIi{na=tld.aede{o(@Dxc(e{ed=0@D@Mino(@?l>en=~Vt@Mi}o(sin=h@Ml,e}en=r@Me,e,r(mo(n!nae>e(&([ete>o(}inenrnr>e(=)@Ml(,ed=)@Mldst,t,,e(ln.ae)eprIipnaetep=a@P=br>=tl(.ae(epo(@Dxc(etepe(=0@D@Mo(@?=[@M=nr>e(=)@Ml(st,t,,eto(nl}e.=~k@R~m@;.&(}e.egrk&(se.e) .r;.re.e) .h;.he)o(ol(e.en&(ue.e(&(ee.e)=~!t@Mrk&(oe.e)=@ )@Mrk&(wet=t&(nete.=}@M=or>e.=b@Mute},:)(@I?t=r@Pi.ute.=t&(}e.LtW.te):e(e.etrminj@2:nae.e)&(te.etrmk,e.=r@Muten,stet=w@Mr(=)@k,$)(@Ie)eto(ni.qnaeto(tl(ete.e)@P&(nete)e(@M&(t,e(,~0))p@I(aeti.o(}ineto(n=)@Mitxn@Iet=(@mdenet=n@<xc)et=(@<,lte.o(nlpe.o(tl{et=(@minrsi}:cte}enr#lne.et=)@P&(ne.en&(t.aedepqnae{ed=(@m@Mo(tlt.aetnaeto(tlne.etr[enlts),,ed=)@Mlds),,e{epr:,e.e.o(}=)@M&(}e)e(&(ne.e)r[,R))@Ieteto(@x)id=)@M&(@x)eto(@S)ed=h@D@Miten;.rete.;.}ete(&(nete)&(t,/))@Iete(r3lt(a.aetnaeto(}l(e)rni.e(rn!n@Ie)e(e.rWd=),:c(etr;lts),,=tlt,et,<teto(@N)e)=(@m@M=n@Pe(&(te(e)&(b,>te)~pet@Or.,=((@?(@Iet .Ci(e) .Ci.@gnae(e.@>|,eto(@{ine)o(@{idOn@Ienedjdet .ae) .a@>,,B))@Ietl(.ae)nae(=tEtte(=)@Ml(e)=)@Pl)s),,et,[))@Ie)=r@Met=~!t@Mi(e)mo(ni)e(!naeto(@K)l),=te)=r@Pe)et=@ )@M!m,kteto(teto(ne)@h=(@m@Mo(te)r8,gtetat=@IO,@Xn({@Id@??t=b@Pinut=@ll}e)en=br|na(aeteno(erhi>idna(aen thl,en trlsen t}lyen tticr.:ecftttttt~VA@s@2cteced .[@,ctetedecrActenotui{=)Sct=tenotoe{mcte,r,:ctesr,:cteset .ri|@scte.:na=)lped=o@Mr(c)ecedo(o .[@,lps),eyet .h@,:cteyr.:ctesftttttt~V@I@}n@I=)lpe,ftttttt~V@I@}c)e,e|@Or,=)@kde,es@s:c)ese,e|@O@s,lp,,ep:cteno(wld=tlp?t=r@Pi{ut.a(aedep!cte)e{=s@M=nr|:cte{o(sige(o(nxcte(o(teg=(@m@Mo(tigr<ctetegrMep=)@Mlps),,e{=r@Muted=tOedepq@h:ctete>en .teno(ueno(oen .hedrNi):na=@Il}s),e.naeten .}i,;.hete)e,en .rr6l(etr}e(:c)dete)en .rraetr},=t=@le)1t]e.!ml},,en=b@Mute},ut.ae):ete(!@2:nae)=)@Pl)eto(nlts),,et,-te)r,n@Iet .re)@Or,d=t,,K)(@I=@Wlo(t=t=tr+itr1i)=tUn@I=@Wlo(t=@6lo(tetr+de),,:)(@I=@6lo(tl)et=@Klo(ti(Snae)nae)e(rd,=@6letrsi)&(t=@Klet=te)m&(t,e)=@Ie)m,yt=eet=)@P=|@2@y@P,@op(c@I(@??t=r@Pisutfttttttttes=s@Mr*l.eso(slp(ae.:na(a?t=a@Midutede)&(]edet&([=@ll.ed=[@Med=r@M=or|na(aed .hirr.:cted .eiMr.:cteMedo(vr?:ctedo(winedo(]=(@<Scteperftttttttt@O;.ren=(@m=n@Micrsl.eden&(sede.&(}e.:na=@Il.s),e.ecr#lyed=[@Ml}ed=}@Mlg=tl.edot0l{.aedotol,=te{e.mnae{=)@Pl{?t=r@Pinut=@ll.e}en=sr|na(ae,eno(}i|jcte|epo(oqctepe}rce|en .trVl.,,en=r@Muts),,epe,&(oe.:na=tl.=tln(@I(a.ae.ego(nxc)=@le}rci{:c(kepe{r&l{e.=(@mi,ego(t@Me{&(te.=)@Ml.e,ego(t@Mo(tct,=@Iln,en,l.,edotbl{.a=te{e.mnae{=)@Pl{epe}eg=)rBl.s),,=@llned teirep .h@>:na(aeperftttttttt@O;.hedotvl{e.ln.ae{:en@2c)e{=)@Pl{epe}eg=trBlnst,t,,enl..aeye>=(@m@Mo(tinnaepenrMe>=)@Ml>s),,epr}eyecrd=@ll>(a(ae.=)@My((t),=tln?t=r@Pi.utep=t=tr+e)!nae.=)8)}e.=t&(ne.et&(te.eprmke.1tg:ln,e.=r@Mut=t=@lenml>,e>l.,,ed=a@Pute.ct=tl.s(,,epr/=tlp,e(ep&(tes=r@Mute.,@P).@Ie)o(@Dinl.(a(a.ae.=)@Pi.:c)e)e)o(v=)@Mi(=te(enjmi(&(ve)e(=0@D@Mi(1t@3):c(e(o(@?i(1t]:ct,e(=u@Me)=+@Mr{s),ete)rL,,2teto(@,n@Ieto(@|it=@Ietmd=),,a)(@Ieto(vi.:na=)|,eto(eo(ti(et=r@M!naeto(hl(,e)rGite(o(}rG!ete.S@h,@z))d@I=)ld.ae)o(@De{Snae)e{=0@D@Mino(@?lpen1t@3):naepe)rzl}en=)Et@3)epepo(v=)@M&(vede}@hld,en=~Vt@Minrpep=h@Menr{e{=)@Ml{s),,ete)r]e)=)Et]ete)e(e.rved=)@h,@*)).@Ie)e.;.Ce)e(;./e)o(ulne)e)o([e(r)e.r)&(hen=e=oe)1t]m@Me)=}@Mr{etet=~!t=@ )e)1t]m@Mino(tipe)=r@Midrgedenrg@Mepenrg@Peto(w@M&(wenedr{e.ftttttt~V@I@gnaeteto(@O)=)@Min&(@O)etene)rx,,z))@Ieto(vi(e)fttttttbN@O~,@Uit=@3@{@h@Me(et=s@<~pr)et@M=~qF@h@M,@H).@Iet=~Ht@Mi(e)eto(}e)rri.rlit:nae)rn=a@Prsitnaet=r@Minrtet=h@Mrtet=u@Mrtet=w@Mrtet=tEt]et=t&(veten&(ee(etet=R@Me)e.rEd=t|,,et,a)(@I(a.ae(:c)et1tti.e)1ttin!nae)=)@Ml)et=)@Mlte(=)@Pl(s),,e.en@P|,=t,3te)eto(teto(ne)o(n@h=(@m@Mito(t&(tete)&(t,yteto(teto(nr8,ute)e(e.e.rnrT&(}e)=te.rr&(sete)enrF,it.a(aet:cteto(ne)!cteto(tlts),,et,~G))d@Ie)=}@Mi(r(:na(ae(rpete)=r@Mi(o(ti.e(o(ninrge.e(rge(enrg@M@Peto(w@M&(we(rpetl(e)o(bit:cte)=t&(be(e(o(@O)=)@Pi.&(@O)e(o(@N)e.=(@m@Mo(tine)!ct.a(aet=)@mi)e.Scte)e.jnae(e)=)@2idr-lpede)epe(e)r-ruml),e(e)r-idenru:cte(etedrie)lts),,e(etenrx,,,Vteteto(we)o(b@P&(we)e(;.[e)e)o(se)o(a~pr)e(r)i)&(beteto(we)@M&(w,~e))n@I=@#lne)na(ae)ott:e.ftttttt~VA@>@2cte.r.:ct=@?lnet=a@Pide)eto(}ipe)rri{rlcte(:na=@e|,e)rn=~-t@Mrsin:na=@I|,en=t&(bene(&(aenepe(~pr)&(ven=e@Mrten=o@Mrtet=~Vt@Men=h@Mr{et=b@Men=r@Mete(rqrFedenen=~Pt@Me)e{rEete(&(oetene.rR=tln,,en,atet=~$t@Me)e(rXr3lt(a.aetnae(et .a@}naeto(ue)!c.,etr;lts),,=tlt,et,@.)n@I.ae)o(@De.Snae)e.=0@D@Mino(@?id=r@Mipen=~Vt@Minr{epedo(e!naeden&(e,e.=)@Ml.s),,ete)ftttttttte(rv,I))@Ie)=h@Ml(.ae(r(:naete)o(+o(}=.rys),,,_)(@?et .re) .J@Ol(etet .hftttttt~VA@Oi.;.hete)e.e(ftttttt~V@Ie(r,mr6ket=)e)o(@{e) .ae) ./re,~V().@IetrSnaep=0@D=~Vt@Mrsi{nae{=}@Mrte{=r@Mrte{=+@Mrte{e)&(ue)o(al}e{en&(@|e{e.&(@,e{e(;.ae{e}&(@{e{edftttttttt@O;.Jetet .eidftttttt~VA@O;.ee{ep&(@De{=tEt]e{LtW.be{ed;.oe{=~Vt@Mlget=@W)@Mln=tl..ae.epOnaeno(nlnege.=0@D@Mi}=tEtre}en=w@P&(se}e{&(}e}rte.=)@Ml.s),,=tl.e{o(@{e{ .ar)e{ .Jr)e{o(@,~pr)e{o(@|~pr)lne{o(@Dl}e{lp.ae.e}Onaenepe.=0@D@Mo(@?o(s~pr)lne.=)@Ml.s),,epen&([et=~$t@Mepe)e(rXrFd=tlp,d=tlp,ep,5)(@I=@#lne(na(a(a.ae(nae)rci.:c.ete.r&i.:c(e.r<c.e(=)@Pl(ete.rMs),,=@#=te)o(nmlns),=@I|,,en,Dte)naete)=(@m=n@Mrd,,<t.ae)r(:naete)o(n=}@P=nrys),,,xtete)=e@Mr!ete)=o@Mr!eteto(we)o(b@P&(we)=h@Mrpet=b@Me)=r@MrDet=a@Pe)rDe)e)o(}rn=~-t@Mrd,5))@Ietnaet=~Vt@Ml).ae)r(:naeteto(@m=h@PrOs),,etr}et=b@Mr0et=a@Pr0et=~Ht@Mr0et=~$t@Mr0etrjet=@5)rd,,Pteto(@N)eto(@A)r7rd,>tet=v@D=b@M,@u)n@Ieto(@|i)eto(@A)i.je)=)@Me.=n@<x@h:nae)=)@m=}@Minr7rsi(:nae)e.j|,eto(@N)i)nae(e)eto(@O)=(@mrTketrj,ete(&(@N)eten&(@A)ete(en=(@m@M&(@S),=),~.)))@I(@Ie)=t&(tetr.n@I=@5)rsi(nae(=@5)r#i(=@ lo(t&(}e(=~7eB(tW(td=tl(,=@Ie(:c)ke(etftttttttt@O;.he(=b@Mr4e(=a@Pr4e(=~Ht@Mr4e(=~$t@Mr4e(=~Vt@Mrte(=~!t@Mrte(=@ )@Mrte(=@W)@Mrte(rSn@Ie)e(&(t=tde(=@5)rd=@I,d=@#,,,2teto(}e)@k=@J~=~ ~A@e@Dit=r@<et@k,lteto(@O)n@?eto(@N)o(t .Cdftttttt~V@I,,8)(@I.a(ae)=(jcte(ete)=)@<i.r-inru:ctete)enrie.l)s),,ete)e(ri,I))@I=@Wlo(tito(wet .rr)et .hr)eto(o~pr)~p,,t=@Wlo(to(@|,>t=@Wlo(trU,,t=@Wlo(t .r,et=@Wlo(tetrhitn@?et .[dftttttt~V~c,,A)(@I=@Wlo(tl)=@#l(etr.na(ae) .het@c:naete)o(@|r?:c)e)et;.h,=tl(,,e(,rtete)=0@D@Mo(@?o(},st=@Wlo(tetrI,ct=t=@8lo(tr2k,C)(@I?t=r@Pi)utrwit=tUna=@6lo(tete)=s@MrKit:na=@8l=@Wlo(t&(t=@Wle)o(s&(t=tlt,,e)=r@Mutet,$))@I?t=r@Pi)ut=@6lo(tete)=s@MrKe)o(sr2lte)=r@Mutet,st=@Wlo(to(@S),st=@Wlo(to(@x),~qp)n@I?t=~Ht@Pisutes=@6lo(t&(fese,&(aese>&(]eseg&([ese}&(vese{&(besep;.oesed;.eesen;.hese.;.rese(;.}ese)&(neset&(t=@Wlo(ti,=t&(@x)=@#lc(a(a(a(a(a(aet=)@Pyp...()td,epr.:cn=tlce, .rep@>:cne,ep;.rsn,e,e)rhit:c(e,etrO=tlcs.,es=~-t@MitesrPetrclte>=)Oc(eso(*c(e,ete,o(o=)@Me(rVicc(e,=pe,o(oe(fttttttttre=tlcs(,e,e)rhiy:cte(r.:c)=@?lcey .[ipe(@cc)=@ilcepftttttt~VA@Oe(@>c)(a(a(a(a(aet=)@Py()t(,=@#l)e.r.:c.e,eye.rAitn@Ie,et=nry=td=),l)s.,=@#l)=tlteso(bic=)qna(aeso([i|=(Sec=te|=(!m@2ct=teso(vecmcte,es .hr :cte,es .er lt,,et:c(es=~-t@MitesrPe,ete>rfi)c)=.l)e, .he,o(@|=)@Mr?:c)e,eye(e{e}ede>rNi{:na=@Il)s(,eg=(@h:nae,e{e, .ren@Orae,r}=tl)eg=)@h:c(e{1t]c(e,e{=(rys(,=tlt.aete{o(@Djnae,e{et=0@D@Mi)o(@?r=e)o(@?=)Et]et=)@Mlts),,e,e{rL=tl)s),es=~-t@MitesrPe,ete>rfl)e,r}e)cte,=~Ht@Ml{es=~-t@MesrP=tl)=tlt.aete>!c)e{es=~-t@Mrci}e,o(}e}rrrli}nae,e}r=,et=)@Mltst,t,=@Ilce)=@I!c(,e,eye(rR=(e)e)=t/mlcs),=@ulc,e,r}.ae,rUe, .r@snae,e,o(@N)o(t=drye,r}s),,es=~Ht@Mutec,b))@I?t=r@Pi(ut=@ le)&(tete(=s@Mr*e(o(sr2l)e(=r@Mute),";
var alphabet = "t)(.ndp{}g>,scy|rMPD04-Th2km+<HFeli?u#I3oBZ w1$KbGz6vX&W[;E8]RVAa=LNf:!O/j7S*qUxCQY^%_95J";

// glue/edition/package.js
var IS_PACKAGE = true;

// glue/core/constants.js
var OPERATIONS = (
  /** @type {const} */
  ["", "request", "drop", "force-release", "join", "gone", "tick"]
);
var MODES = (
  /** @type {const} */
  ["exclusive", "shared"]
);
var EVENTS = (
  /** @type {const} */
  ["", "granted", "unavailable", "broken", "removed", "expired", "joined"]
);
var STATUSES = {
  0: "ok",
  1: "stale",
  2: "refused",
  3: "no-fence",
  "-1": "out-of-memory",
  "-2": "invalid",
  "-3": "unknown-client",
  "-4": "duplicate",
  "-5": "gap",
  "-6": "bad-snapshot",
  "-7": "no-handle"
};
var OK = 0;
var STALE = 1;
var OUT_OF_MEMORY = -1;
var IF_AVAILABLE = 1;
var STEAL = 2;

// glue/core/error.js
var REASONS = {
  refused: "a field is wrong, such as a mode, a duration, or a name that is there twice",
  "no-fence": "no number is left for another fence",
  "out-of-memory": "there is no memory for it",
  invalid: "the type, number, time or fence is wrong",
  "unknown-client": "the client has not joined, or is gone",
  duplicate: "the client has used that number, or has joined already",
  gap: "the client's next operation has a lower number",
  "bad-snapshot": "the bytes are no snapshot",
  "no-handle": "there have been 2^32 - 1 members"
};
var LONGEST = 60;
var titleOf = ({ type, client, number }) => {
  const title = typeof type === "string" && /** @type {readonly string[]} */
  OPERATIONS.includes(type) ? type : "operation";
  const id = typeof client === "string" ? JSON.stringify(client.length > LONGEST ? `${client.slice(0, LONGEST)}\u2026` : client) : "";
  return `${title}${typeof number === "number" ? ` ${number}` : ""}${id && ` of ${id}`}`;
};
var CoreError = class extends Error {
  /** @param {number} status @param {import('./core.js').Fields} [operation] that was refused */
  constructor(status, operation) {
    const code = (
      /** @type {keyof typeof REASONS} */
      STATUSES[status]
    );
    super(`lock core: ${IS_PACKAGE ? `${operation ? `cannot apply ${titleOf(operation)}: ` : ""}${REASONS[code]}` : status}`);
    this.status = status;
    if (IS_PACKAGE) {
      this.name = "CoreError";
      this.code = code;
    }
  }
};

// glue/core/memory.js
var view;
var at = 0;
var seek = (buffer, place) => {
  if (!view || view.buffer !== buffer) view = new DataView(buffer);
  at = place;
};
var readWord = () => view.getUint32((at += 4) - 4, true);
var readNumber = () => view.getFloat64((at += 8) - 8, true);
var readName = () => {
  let name = "";
  for (let left = readWord(); left; left--) name += String.fromCharCode(view.getUint16((at += 2) - 2, true));
  return name;
};
var readList = (count, read) => {
  const all = [];
  while (count-- > 0) all.push(read());
  return all;
};
var readRequest = (clients, nextName) => ({
  number: readNumber(),
  fence: readNumber(),
  deadline: readNumber(),
  hold: readNumber(),
  client: (
    /** @type {string} */
    clients.get(readWord())
  ),
  mode: MODES[readWord()],
  limit: readWord(),
  names: readList(readWord(), nextName)
});
var writeName = (name) => {
  view.setUint32((at += 4) - 4, name.length, true);
  for (let i = 0; i < name.length; i++) view.setUint16((at += 2) - 2, name.charCodeAt(i), true);
};

// glue/core/own-member.js
var hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
var ownMember = (object, key, otherwise) => {
  const value = hasOwn(object, key) ? (
    /** @type {any} */
    object[key]
  ) : void 0;
  return value === void 0 ? otherwise : value;
};

// glue/core/snapshot.js
var decodeSnapshot = (bytes) => {
  seek(bytes.buffer, bytes.byteOffset + 4);
  const memberCount = readWord();
  const time = readNumber();
  const fence = readNumber();
  const lastHandle = readWord();
  const nameCount = readWord();
  const heldCount = readWord();
  const pendingCount = readWord();
  const clients = /* @__PURE__ */ new Map();
  const members = readList(memberCount, () => {
    const last = readNumber();
    const handle = readWord();
    const client = readName();
    clients.set(handle, client);
    return { client, handle, last };
  });
  const names = readList(nameCount, readName);
  const nextRequest = () => readRequest(clients, () => names[readWord()]);
  return { members, held: readList(heldCount, nextRequest), pending: readList(pendingCount, nextRequest), time, fence, lastHandle };
};

// glue/core/core.js
var TOO_LARGE = 2 ** 31;
var REQUEST_FIELDS = 64;
var check = (result) => {
  if (result < 0) throw new CoreError(result);
  return result;
};
var numberOf = (value) => typeof value === "number" ? value : NaN;
var namesOf = (list) => Array.isArray(list) && list.every((name) => typeof name === "string") ? list : [];
var exportsOf = ({ exports }) => (
  /** @type {Exports} */
  /** @type {unknown} */
  exports
);
var wrapCore = (exports, fence = 0, seed = Math.random() * 2 ** 32) => {
  let handles;
  let clients;
  let changes = 0;
  const forgetMembers = () => {
    handles = /* @__PURE__ */ new Map();
    clients = /* @__PURE__ */ new Map();
  };
  const addMember = (client, handle) => {
    handles.set(client, handle);
    clients.set(handle, client);
  };
  const go = (place) => seek(exports.memory.buffer, place);
  const scratch = (size) => check(size < TOO_LARGE ? exports.scratch(size) : OUT_OF_MEMORY);
  const writeNames = (names) => {
    let length = 0;
    for (const name of names) length += name.length + 2;
    if (length) go(scratch(length * 2));
    for (const name of names) writeName(name);
    return length;
  };
  const perform = (operation) => {
    const { type, client, number, request, mode, names, now } = operation;
    changes++;
    const all = namesOf(type === "join" ? [client] : names);
    const length = writeNames(all);
    const limit = ownMember(operation, "limit", 0);
    const wait = ownMember(operation, "wait", Infinity);
    const hold = ownMember(operation, "hold", Infinity);
    const flags = (ownMember(operation, "ifAvailable") ? IF_AVAILABLE : 0) | (ownMember(operation, "steal") ? STEAL : 0);
    const count = typeof limit === "number" && limit >>> 0 === limit ? limit : -1;
    return exports.apply(
      /** @type {readonly unknown[]} */
      OPERATIONS.indexOf(type),
      handles.get(client) || 0,
      numberOf(number),
      numberOf(request),
      numberOf(wait),
      numberOf(hold),
      numberOf(now),
      count < 0 ? -1 : (
        /** @type {readonly unknown[]} */
        MODES.indexOf(mode)
      ),
      count,
      flags,
      all.length,
      length
    );
  };
  const snapshot = () => {
    const size = check(exports.snapshot());
    return new Uint8Array(exports.memory.buffer, exports.scratch(0), size).slice();
  };
  const reset = (above) => {
    check(exports.reset(above, seed));
    changes++;
    forgetMembers();
  };
  const restore = (bytes) => {
    if (IS_PACKAGE && !ArrayBuffer.isView(bytes)) {
      throw new TypeError(`restore() needs the bytes of a snapshot: a Uint8Array, not ${String(bytes)}.`);
    }
    const at2 = scratch(bytes.length + 1);
    new Uint8Array(exports.memory.buffer, at2).set(bytes);
    check(exports.restore(bytes.length));
    changes++;
    forgetMembers();
    for (const { client, handle } of decodeSnapshot(bytes).members) addMember(client, handle);
  };
  const apply = (operation) => {
    if (IS_PACKAGE && !operation) throw new TypeError(`apply() needs an operation: an object, not ${String(operation)}.`);
    const status = perform(operation);
    if (status < OK || status > STALE) throw new CoreError(status, operation);
    const count = exports.eventCount();
    const events = [];
    if (count) go(exports.events());
    for (let left = count; left; left--) {
      const type = (
        /** @type {LockEvent['type']} */
        EVENTS[readWord()]
      );
      const handle = readWord();
      if (operation.type === "join") addMember(operation.client, handle);
      events.push({ type, client: (
        /** @type {string} */
        clients.get(handle)
      ), number: readNumber(), fence: readNumber() });
    }
    if (operation.type === "gone") {
      clients.delete(
        /** @type {number} */
        handles.get(operation.client)
      );
      handles.delete(operation.client);
    }
    return events;
  };
  const requests = function* () {
    const names = /* @__PURE__ */ new Map();
    const began = changes;
    for (let at2 = 0; at2 = exports.nextRequest(at2); ) {
      let place = 0;
      const nextName = () => {
        const nameAt = exports.requestName(at2, place++);
        if (!names.has(nameAt)) {
          go(nameAt);
          names.set(nameAt, readName());
        }
        return (
          /** @type {string} */
          names.get(nameAt)
        );
      };
      go(at2 + REQUEST_FIELDS);
      yield readRequest(clients, nextName);
      if (changes !== began) throw new Error("The state was changed before the iteration over it had ended.");
    }
  };
  reset(fence);
  return {
    apply,
    foresee(operations) {
      if (exports.fork() < 0) return [];
      const [handlesBefore, clientsBefore] = [new Map(handles), new Map(clients)];
      try {
        return (
          /** @type {LockEvent[]} */
          [].concat(...operations.map(apply))
        );
      } catch (e) {
        return [];
      } finally {
        exports.rejoin();
        handles = handlesBefore;
        clients = clientsBefore;
      }
    },
    raise: (above) => void check(exports.raise(above)),
    reset,
    snapshot,
    restore,
    // The script-tag build does not use it.
    requests: (
      /** @type {Core['requests']} */
      IS_PACKAGE && requests
    ),
    state: () => decodeSnapshot(snapshot()),
    hash: exports.hash,
    time: exports.time,
    nextDeadline: exports.nextDeadline,
    requestCount: exports.requestCount,
    last: (client) => exports.last(handles.get(client) || 0)
  };
};

// glue/core/text.js
var ESCAPES = "@~";
var decode = (text2, alphabet2) => new Uint8Array(
  /** @type {string[]} */
  text2.match(/[@~]?[^]/g).map(
    (each) => alphabet2.indexOf(each[1] || each) + (ESCAPES.indexOf(each[0]) + 1) * alphabet2.length
  )
);

// glue/core/wasm.js
var module;
var instantiate = () => {
  module = module || new WebAssembly.Module(decode(text, alphabet));
  return exportsOf(new WebAssembly.Instance(module));
};
var openCore = () => {
  try {
    return wrapCore(instantiate());
  } catch (e) {
    return WebAssembly.instantiate(decode(text, alphabet)).then(({ instance }) => wrapCore(exportsOf(instance)));
  }
};

// glue/core/index.js
var OPTIONS = ["wasm", "js", "fence", "seed"];
var checkOptions = (options) => {
  if (Object(options) !== options) throw new TypeError(`createCore() takes its options as an object, not ${String(options)}.`);
  for (const option in options) {
    if (OPTIONS.includes(option)) continue;
    throw new TypeError(`createCore() has no option ${JSON.stringify(option)}. Its options are ${OPTIONS.join(", ")}.`);
  }
  if (options.js && typeof options.js !== "function") throw new TypeError("The option js of createCore() must be a function.");
};
var createCore = (options = {}) => {
  checkOptions(options);
  const { wasm, js, fence, seed } = options;
  if (js) return wrapCore(js(), fence, seed);
  if (!wasm) return wrapCore(instantiate(), fence, seed);
  const module2 = wasm instanceof WebAssembly.Module ? wasm : new WebAssembly.Module(wasm);
  return wrapCore(exportsOf(new WebAssembly.Instance(module2)), fence, seed);
};
export {
  CoreError,
  createCore,
  decodeSnapshot,
  openCore
};
