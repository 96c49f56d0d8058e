/* lockkeeper 0.2.0, MIT */
"use strict";
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// glue/entries/core.js
var core_exports = {};
__export(core_exports, {
  CoreError: () => CoreError,
  createCore: () => createCore,
  decodeSnapshot: () => decodeSnapshot,
  openCore: () => openCore
});
module.exports = __toCommonJS(core_exports);

// build/out/embedded.js
var text = "t@}@k@0)ttt)@=)T@{)@I)@I@{(@I@I)@I@{(@I@It@{.@I@I@I)@I@{)@It@{.@I@I@It@{t)@I@{(@I@?)@I@{)@?)@I@{(@?@I)@I@{t)@?@{.@I@I@?t@{)@I)@?@{d@I@I@I@?@?t@{n@I@I@I@I)@I@{n@I@I@?@?)@I@{n@I@I@?@?t@{d@I@I@I@I@It@{n@I@I@I@?)@I@{.@I@I@?)@I@{{@I@I@?@I@I@?@I)@I@{tt@{s@I@I@?@?@?@?@?@I@I@I@I@I)@I.@p@dn{t}t(n(n)d}ttd.)(((n)n.))t).t)dc.dg))))ty.{ptt.(t)|,{).(tM)(rPDr((0.(((nnttgsd>p>>s})t-ptpp2gdp)))@3@3(p{)@I)=@3er{~n)Pp@0@s@0@2@4@e(td@4@s@k@s@mt@n{@k@>@4@}@m@>@|t1d@}@T@T@D@et@.>@s@<@s@-@mN@2@+@-@mt@(p@s@<@s@-@m@kt@)}@k@-@}@T@k@|@2@mtw{@4@s@k@m@2@4@st@tn@c@2@4@PtRp@4@s@M@2@,@-t5r@-@s@U@mY@s@h@+@s@k@mt9r@4@s@h@+@s@k@mF@}@0@st_d@4@}@,@k@st%n@D@}@k@mt^n@m@,@0@stYs@-@s@U@mf@s@}@r@D@,@-@stQs@4@s@h@+@s@k@mN@2@+@-@mtCn@|@}@k@|tq>~]a@d,tetet&(tetet&(nrK))@Je)~ri(@Fet@k=@R~=~ ~A@e@Dite(Le@Z@F@ket=|@<@k=~:@6@9@9@U@Dit=c@<et@kr>teto(net!rIt=tet@Net@}etftttttttt@c:etf~x~x~x~x~x~xAN@s:@4mrctetott=)@m=n@MrHtete),$=(@m=@3e@Mi)o(t&(te)et&(trl))@Ieto(ti)eto(n&(neto(ne)&(tet,tr#))@Ieto(tl(e)et&(ne)e(&(teto(te)&(nete)&(tr@L.)r@Iet=@W)@Ml>.ae>,(:naeto(@6)i),pe)=w@Pi(=h@Ml}e(1t]na(ae},(:cte(=tEt]e(=u@Mln=)lp=)l).ae)=)@hnaeno(nl.=tl{.ae.enOnae.epen,#igepen,#ldegl).ae)e.!e)ed!@4:nae) .se. .s@>nae)o(nlre),pe.e),{erl)de.o(nl.rs)rre{=)eneg!ml{edl.s)rre{=)@hl)ep=)@mlps)rr.aen,(c)e(o(oi),pete)=+@P,bstrtrre(=,@Mld.a(ae(o(ei)ed!cte(1t]cte(e)o(}i.,K:cte(e)o(n&(ee(e(o(v=)@M&(ve)=)Et,e.e.o(v=0@D@M=~Vt@Me)Oc)ete.,bs)rred,(:c)e},(:c)et=~Ht@Me(,De(e(o(},n=a@P,ds)rrr te)o(}eto(}=@R~=~ ~A@e@D@kit=|@<et@k=~:@6@9@9@U@Dit=c@<et@krC))@Ieto(tl.(aet1t}nae.eto(n@Me)e(,W:c)et=)Etgde.:c)e.eto(n@Me)e(,Tkrreteto(ne(@M&(nrhtetftttttt~V@I@gn@Iet,.d=)rr@v)).@Iet,$it=Hxna(aet=(@m=@3e@Mi(o(ti)nae(e)o(t&(ts)r(@I=)et@mitAti)=,@m=@Alo(t=@Ol@Mi(@Pi.Snaete.@P=,@<=)@Mi.e)=.@<@M,o:na=te.,o:c(krr=@Al=@Alo(tet@M&(te(r|rre)r&)(@Iet=n,Hi)n@Ie)otti(eto(n=)@<xn@Ie)=tete(=)@m,Hmd=trd=trr@F)).@Iete(e)o(@{e) .aftttttttt,e=tl(.ae)o(@De(Snae)e(=0@D@Mino(@?i.o(een=~Vt@Mid!nae.eno(@m&(eren1t@3)nae.e.o(v=)@P&(vred,pete.,Me(=)@Ml(s)rre)=+@M,pete),]et=~$t@Me),De)e)o(@D=0@D=~Vt@M,drmtete(,Hitnae)ete(,Tkret=tOr@k((@I(@Je)=n@Ml(e),ne)@Ml.=)l)et=)@<=~I~O~]~!n@k@%ln.ae(e.Onae(ztte)@%en@J@?id@F=~x~x~x~x{@hedLU@Z@F@Mit=~x~x~x~x{@Petet=~*~x~x~x{Sml)e(=(@Ml(s)rre)rTte),<:naet=@W)@Me)=w@M,{rr4tete)o(f&(tete)o(a=)@m&(nrL)(@Ieto(teto(ne)o(n@h=(@m@Ml(.ae(i.o(ti(e)Octre.e)o(t&(teteto(}=)@P&(}ryteto(teto(n,:r0teto(@N)e)=(@m@M=n@Po(trktet=t&(setLtW(netet=s@M&(trz))@Ietl..ae(nae.e)1ttEtte.=)@Ml.e)=)@Ml)e(=)@Pl(s)rretr-tet=b@Me),3it=,@P=tetmrktet:na=@Wlo(t,/=@Wle)&(tretri).@Ietl).ae(i.=)@Ml(e)o(ni)etOctre.r@!.)>@I?t=b@Pi.utet=o&(ne)=~Lt@Ml(e)=~Vt@Mlg.ae(o(ti(egOnaete(=e@M=s,>ete(=,@Po(tinen,n,>e(=n@Ml(s)rr=tl(.ae)e{,Ii{na=tld.aede{o(@Dqc(e{ed=0@D@Mino(@?l>en=~Vt@Mi}o(sin=h@Mlre}en=,@Merer,(mo(n!nae>e(&([ete>o(}inen,n,>e(=)@Ml(red=)@Mldstrtrre(ln.ae)ep,Iipnaetep=a@P=b,>=tl(.ae(epo(@Dqc(etepe(=0@D@Mo(@?=[@M=n,>e(=)@Ml(strtrreto(nl}e.=~k@8~m@;.&(}e.eg,k&(se.e) .,;.,e.e) .h;.he)o(ol(e.en&(ue.e(&(ee.e)=~!t@M,k&(oe.e)=@ )@M,k&(wet=t&(nete.=}@M=o,>e.=b@Mute}r:)(@I?t=,@Pi.ute.=t&(}e.LtW.te):e(e.et,minj@4:nae.e)&(te.et,mkre.=,@Mutenrstet=w@M,(=)@kr$)(@Ie)eto(ni.xnaeto(tl(ete.e)@P&(nete)e(@M&(tre(r~0))p@I(aeti.o(}ineto(n=)@Mitqn@Iet=(@mdenet=n@<qc)et=(@<rlte.o(nlpe.o(tl{et=(@min,si}:cte}en,Jlne.et=)@P&(ne.en&(t.aedepxnae{ed=(@m@Mo(tlt.aetnaeto(tlne.et,[enlts)rred=)@Mlds)rre{ep,:re.e.o(}=)@M&(}e)e(&(ne.e),[r8))@Ieteto(@q)id=)@M&(@q)eto(@S)ed=h@D@Miten;.,ete.;.}ete(&(nete)&(tr/))@Iete(,3lt(a.aetnaeto(}l(e),ni.e(,n!n@Ie)e(e.,Wd=)r:c(et,;lts)rr=tltretr<teto(@N)e)=(@m@M=n@Pe(&(te(e)&(br>te)~pet@O,.r=((@?(@Iet .Ci(e) .Ci.@gnae(e.@>|reto(@{ine)o(@{idOn@Ienedjdet .ae) .a@>rrB))@Ietl(.ae)nae(=tEtte(=)@Ml(e)=)@Pl)s)rretr[))@Ie)=,@Met=~!t@Mi(e)mo(ni)e(!naeto(@Z)l)r=te)=,@Pe)et=@ )@M!mrkteto(teto(ne)@h=(@m@Mo(te),6rgtetat=@IOr@Xn({@Id@??t=b@Pinut=@ll}e)en=b,|na(aeteno(e,hi>idna(aen thlren t,lsen t}lyen ttic,.:ecftttttt~VA@s@4cteced .[@rctetedec,Actenotui{=)Sct=tenotoe{mcter,r:ctes,r:cteset .,i|@scte.:na=)lped=o@M,(c)ecedo(o .[@rlps)reyet .h@r:ctey,.:ctesftttttt~V@I@}n@I=)lperftttttt~V@I@}c)ere|@O,r=)@kderes@s:c)esere|@O@srlprrep:cteno(wld=tlp?t=,@Pi{ut.a(aedep!cte)e{=s@M=n,|:cte{o(sige(o(nqcte(o(teg=(@m@Mo(tig,<cteteg,Mep=)@Mlps)rre{=,@Muted=tOedepx@h:ctete>en .teno(ueno(oen .hed,Ni):na=@Il}s)re.naeten .}ir;.hete)eren .,,zl(et,}e(:c)dete)en .,,aet,}r=t=@le)1t]e.!ml}rren=b@Mute}rut.ae):ete(!@4:nae)=)@Pl)eto(nlts)rretr2te),rn@Iet .,e)@O,rd=trrZ)(@I=@Wlo(t=t=t,+it,1i)=tFn@I=@Wlo(t=@zlo(tet,+de)rr:)(@I=@zlo(tl)et=@Zlo(ti(Snae)nae)e(,dr=@zlet,si)&(t=@Zlet=te)m&(tre)=@Ie)mryt=eet=)@P=|@4@y@Pr@op(c@I(@??t=,@Pisutfttttttttes=s@M,*l.eso(slp(ae.:na(a?t=a@Midutede)&(]edet&([=@ll.ed=[@Med=,@M=o,|na(aed .hi,,.:cted .eiM,.:cteMedo(v,?:ctedo(winedo(]=(@<Sctepe,ftttttttt@O;.,en=(@m=n@Mic,sl.eden&(sede.&(}e.:na=@Il.s)re.ec,Jlyed=[@Ml}ed=}@Mlg=tl.edot0l{.aedotolr=te{e.mnae{=)@Pl{?t=,@Pinut=@ll.e}en=s,|na(aereno(}i|jcte|epo(oxctepe},ce|en .t,Vl.rren=,@Muts)rreper&(oe.:na=tl.=tln(@I(a.ae.ego(nqc)=@le},ci{:c(kepe{,&l{e.=(@mirego(t@Me{&(te.=)@Ml.erego(t@Mo(tctr=@Ilnrenrl.redotbl{.a=te{e.mnae{=)@Pl{epe}eg=),Bl.s)rr=@llned tei,ep .h@>:na(aepe,ftttttttt@O;.hedotvl{e.ln.ae{:en@4c)e{=)@Pl{epe}eg=t,Blnstrtrrenl..aeye>=(@m@Mo(tinnaepen,Me>=)@Ml>s)rrep,}eyec,d=@ll>(a(ae.=)@My((t)r=tln?t=,@Pi.utep=t=t,+e)!nae.=)6)}e.=t&(ne.et&(te.ep,mke.1tg:lnre.=,@Mut=t=@lenml>re>l.rred=a@Pute.ct=tl.s(rrep,/=tlpre(ep&(tes=,@Mute.r@P).@Ie)o(@Dinl.(a(a.ae.=)@Pi.:c)e)e)o(v=)@Mi(=te(enjmi(&(ve)e(=0@D@Mi(1t@3):c(e(o(@?i(1t]:ctre(=u@Me)=+@M,{s)rete),Lrr4teto(@rn@Ieto(@|it=@Ietmd=)rra)(@Ieto(vi.:na=)|reto(eo(ti(et=,@M!naeto(hl(re),Gite(o(},G!ete.S@hr@K))d@I=)ld.ae)o(@De{Snae)e{=0@D@Mino(@?lpen1t@3):naepe),Kl}en=)Et@3)epepo(v=)@M&(vede}@hldren=~Vt@Min,pep=h@Men,{e{=)@Ml{s)rrete),]e)=)Et]ete)e(e.,ved=)@hr@*)).@Ie)e.;.Ce)e(;./e)o(ulne)e)o([e(,)e.,)&(hen=e=oe)1t]m@Me)=}@M,{etet=~!t=@ )e)1t]m@Mino(tipe)=,@Mid,geden,g@Mepen,g@Peto(w@M&(wened,{e.ftttttt~V@I@gnaeteto(@O)=)@Min&(@O)etene),Frr2teto(ve)fttttttbN@O~r@F@Mr@H).@Iet=~Ht@Mi(e)eto(}e),,i.,lit:nae),n=a@P,sitnaet=,@Min,tet=h@M,tet=u@M,tet=w@M,tet=tEt]et=t&(veten&(ee(etet=8@Me)e.,Ed=t|rretra)(@I(a.ae(:c)et1tti.e)1ttin!nae)=)@Ml)et=)@Mlte(=)@Pl(s)rre.en@P|r=tr3te)eto(teto(ne)o(n@h=(@m@Mito(t&(tete)&(tryteto(teto(n,6rute)e(e.e.,n,T&(}e)=te.,,&(sete)en,Urit.a(aet:cteto(ne)!cteto(tlts)rretr~G))d@Ie)=}@Mi(,(:na(ae(,pete)=,@Mi(o(ti.e(o(nin,ge.e(,ge(en,g@M@Peto(w@M&(we(,petl(e)o(bit:cte)=t&(be(e(o(@O)=)@Pi.&(@O)e(o(@N)e.=(@m@Mo(tine)!ct.a(aet=)@mi)e.Scte)e.jnae(e)=)@4id,-lpede)epe(e),-,uml)re(e),-iden,u:cte(eted,ie)lts)rre(eten,FrrrVteteto(we)o(b@P&(we)e(;.[e)e)o(se)o(a~p,)e(,)i)&(beteto(we)@M&(wr~l))n@I=@Jlne)na(ae)ott:e.ftttttt~VA@>@4cte.,.:ct=@?lnet=a@Pipe)eto(}ide),,i{,lcte(:na=@e|re),n=~2t@M,sin:na=@I|ren=t&(bene(&(aenede(~p,)ed~p,)&(ven=e@M,ten=o@M,tet=~Vt@Men=h@M,{et=b@Men=,@Me(,Uepenen=~Pt@Me)e{,Eete(&(oetene.,8=tlnrrenratet=~$t@Me)e(,X,3lt(a.aetnae(et .a@}naeto(ue)!c.ret,;lts)rr=tltretr@.)n@I.ae)o(@De.Snae)e.=0@D@Mino(@?id=,@Mipen=~Vt@Min,{epedo(e!naeden&(ere.=)@Ml.s)rrete)ftttttttte(,vrI))@Ie)=h@Ml(.ae(,(:naete)o(+o(}=.,ys)rrr_)(@?et .,e) .R@Ol(etet .hftttttt~VA@Oi.;.hete)e.e(ftttttt~V@Ie(,rm,zket=)e)o(@{e) .ae) ./,er~V().@Iet,Snaep=0@D=~Vt@M,si{nae{=}@M,te{=,@M,te{=+@M,te{e)&(ue)o(al}e{en&(@|e{e.&(@re{e(;.ae{e}&(@{e{edftttttttt@O;.Retet .eidftttttt~VA@O;.ee{ep&(@De{=tEt]e{LtW.be{ed;.oe{=~Vt@Mlget=@W)@Mln=tl..ae.epOnaeno(nlnege.=0@D@Mi}=tEt,e}en=w@P&(se}e{&(}e},te.=)@Ml.s)rr=tl.e{o(@{e{ .a,)e{ .R,)e{o(@r~p,)e{o(@|~p,)lne{o(@Dl}e{lp.ae.e}Onaenepe.=0@D@Mo(@?o(s~p,)lne.=)@Ml.s)rrepen&([et=~$t@Mepe)e(,X,Ud=tlprd=tlprepr5)(@I=@Jlne(na(a(a.ae(nae),ci.:c.ete.,&i.:c(e.,<c.e(=)@Pl(ete.,Ms)rr=@J=te)o(nmlns)r=@I|rrenrDte)naete)=(@m=n@M,drr<t.ae),(:naete)o(n=}@P=n,ys)rrrqtete)=e@M,!ete)=o@M,!eteto(we)o(b@P&(we)=h@M,pet=b@Me)=,@M,Det=a@Pe),De)e)o(},n=~2t@M,dr5))@Ietnaet=~Vt@Ml).ae),(:naeteto(@m=h@P,Os)rret,}et=b@M,0et=a@P,0et=~Ht@M,0et=~$t@M,0et,jet=@5),drrPteto(@N)eto(@A),7,dr>tet=v@D=b@Mr@u)n@Ieto(@|i)eto(@A)i.je)=)@Me.=n@<q@h:nae)=)@m=}@Min,7,si(:nae)e.j|reto(@N)i)nae(e)eto(@O)=(@m,Tket,jrete(&(@N)eten&(@A)ete(en=(@m@M&(@S)r=)r~.)))@I(@Ie)=t&(tet,.n@I=@5),si(nae(=@5),Ji(=@ lo(t&(}e(=~7eB(tW(td=tl(r=@Ie(:c)ke(etftttttttt@O;.he(=b@M,2e(=a@P,2e(=~Ht@M,2e(=~$t@M,2e(=~Vt@M,te(=~!t@M,te(=@ )@M,te(=@W)@M,te(,Sn@Ie)e(&(t=tde(=@5),d=@Ird=@Jrrrlteto(@O)n@?eto(@N)o(t .Cdftttttt~V@Irr6)(@I.a(ae)=(jcte(ete)=)@<i.,-in,u:ctete)en,ie.l)s)rrete)e(,irI))@I=@Wlo(tito(wet .,,)et .h,)eto(o~p,)~prrt=@Wlo(to(@|r>t=@Wlo(t,xrrt=@Wlo(t .,ret=@Wlo(tet,hitn@?et .[dftttttt~V~crrA)(@I=@Wlo(tl)=@Jl(et,.na(ae) .het@c:naete)o(@|,?:c)e)et;.hr=tl(rre(r,tete)=0@D@Mo(@?o(}rst=@Wlo(tet,Irct=t=@6lo(t,4krC)(@I?t=,@Pi)ut,wit=tFna=@zlo(tete)=s@M,Zit:na=@6l=@Wlo(t&(t=@Wle)o(s&(t=tltrre)=,@Mutetr$))@I?t=,@Pi)ut=@zlo(tete)=s@M,Ze)o(s,4lte)=,@Mutetrst=@Wlo(to(@S)rst=@Wlo(to(@q)r~xp)n@I?t=~Ht@Pisutes=@zlo(t&(feser&(aese>&(]eseg&([ese}&(vese{&(besep;.oesed;.eesen;.hese.;.,ese(;.}ese)&(neset&(t=@Wlo(tir=t&(@q)=@Jlc(a(a(a(a(a(aet=)@Pyp...()tdrep,.:cn=tlcer .,ep@>:cnerep;.,snrere),hit:c(eret,O=tlcs.res=~2t@Mites,Pet,clte>=)Oc(eso(*c(eretero(o=)@Me(,Vicc(er=pero(oe(ftttttttt,e=tlcs(rere),hiy:cte(,.:c)=@?lcey .[ipe(@cc)=@ilcepftttttt~VA@Oe(@>c)(a(a(a(a(aet=)@Py()t(r=@Jl)e.,.:c.ereye.,Aitn@Ieret=n,y=td=)rl)s.r=@Jl)=tlteso(bic=)xna(aeso([i|=(Sec=te|=(!m@4ct=teso(vecmcteres .h, :cteres .e, ltrret:c(es=~2t@Mites,Perete>,fi)c)=.l)er .hero(@|=)@M,?:c)ereye(e{e}ede>,Ni{:na=@Il)s(reg=(@h:naere{er .,en@O,aer,}=tl)eg=)@h:c(e{1t]c(ere{=(,ys(r=tlt.aete{o(@Djnaere{et=0@D@Mi)o(@?,=e)o(@?=)Et]et=)@Mlts)rrere{,L=tl)s)res=~2t@Mites,Perete>,fl)er,}e)cter=~Ht@Ml{es=~2t@Mes,P=tl)=tlt.aete>!c)e{es=~2t@M,ci}ero(}e},,,li}naere},=ret=)@Mltstrtr=@Ilce)=@I!c(rereye(,8=(e)e)=t/mlcs)r=@ulcrer,}.aer,xer .,@snaerero(@N)o(t=d,yer,}s)rres=~Ht@Mutecrb))@I?t=,@Pi(ut=@ le)&(tete(=s@M,*e(o(s,4l)e(=,@Mute)r";
var alphabet = "t)(.ndp{}g>rscy|,MPD0-2Th4km+<HUeli?uJI3oB# w1$ZbGKzvX&W[;E6]8VAa=LNf:!O/j7S*xFqCQY^%_95R";

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
var STALE = 1;
var OUT_OF_MEMORY = -1;
var IF_AVAILABLE = 1;
var STEAL = 2;

// glue/core/error.js
var CoreError = class extends Error {
  /** @param {number} status */
  constructor(status) {
    super(`lock core: ${IS_PACKAGE ? STATUSES[status] : status}`);
    this.status = status;
    if (IS_PACKAGE) {
      this.name = "CoreError";
      this.code = STATUSES[status];
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
  const perform = ({
    type,
    client,
    number,
    request,
    mode,
    limit = 0,
    ifAvailable,
    steal,
    wait = Infinity,
    hold = Infinity,
    names,
    now
  }) => {
    changes++;
    const all = namesOf(type === "join" ? [client] : names);
    const length = writeNames(all);
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
      (ifAvailable ? IF_AVAILABLE : 0) | (steal ? STEAL : 0),
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
    const at2 = scratch(bytes.length + 1);
    new Uint8Array(exports.memory.buffer, at2).set(bytes);
    check(exports.restore(bytes.length));
    changes++;
    forgetMembers();
    for (const { client, handle } of decodeSnapshot(bytes).members) addMember(client, handle);
  };
  const apply = (operation) => {
    const status = check(perform(operation));
    if (status > STALE) throw new CoreError(status);
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
var module2;
var instantiate = () => {
  module2 = module2 || new WebAssembly.Module(decode(text, alphabet));
  return exportsOf(new WebAssembly.Instance(module2));
};
var openCore = () => {
  try {
    return wrapCore(instantiate());
  } catch (e) {
    return WebAssembly.instantiate(decode(text, alphabet)).then(({ instance }) => wrapCore(exportsOf(instance)));
  }
};

// glue/core/index.js
var createCore = ({ wasm, js, fence, seed } = {}) => {
  if (js) return wrapCore(js(), fence, seed);
  if (!wasm) return wrapCore(instantiate(), fence, seed);
  const module3 = wasm instanceof WebAssembly.Module ? wasm : new WebAssembly.Module(wasm);
  return wrapCore(exportsOf(new WebAssembly.Instance(module3)), fence, seed);
};
